// Language models of the AI SDK: its specification's versions 2, 3 and 4.
import { ThreadfoldError } from "../../shared/errors.js";
import { newId } from "../../shared/new-id.js";
import { type AiMessage, checkedAnswer, type Fields, withCallIds } from "../message.js";
import { ownSignal } from "../runtime-config.js";
import { isProviderTool } from "../tools/tools.js";
import type { AiSdkModel } from "../types.js";
import { messageOf } from "./ai-sdk-message.js";
import { promptOf, type Specification } from "./ai-sdk-prompt.js";
import { gathered } from "./ai-sdk-stream.js";
import type { ModelCall } from "./model-call.js";

const SPECIFICATIONS: readonly string[] = ["v2", "v3", "v4"] satisfies Specification[];

/**
 * Returns the version of the specification that a model follows. A model that names none is read as one of v3.
 *
 * @throws {@link ThreadfoldError} `UNSUPPORTED` for another version.
 */
export function specificationOf({ specificationVersion: version = "v3", modelId }: AiSdkModel): Specification {
  if (SPECIFICATIONS.includes(version)) return version as Specification;
  throw new ThreadfoldError(
    "UNSUPPORTED",
    `The model '${modelId}' follows version '${version}' of the AI SDK's model specification. Expected ${SPECIFICATIONS.join(", ")}: use a provider package of AI SDK 5, 6 or 7.`,
  );
}

/** Calls a model of the AI SDK. */
export async function callAiSdk(model: AiSdkModel, call: ModelCall): Promise<AiMessage> {
  const { tools, toolChoice = "auto", settings, runtime, onChunk } = call;
  const version = specificationOf(model);
  const { signal } = ownSignal(runtime);
  const choice = toolChoice === "any" ? "required" : toolChoice;
  const options = {
    ...settings,
    prompt: promptOf(call.messages, version),
    ...(signal && { abortSignal: signal }),
    ...(tools.length > 0 && {
      tools: tools.map((tool) => {
        const { source, name, description } = tool;
        return isProviderTool(source) ? source : { type: "function", name, description, inputSchema: tool.parameters };
      }),
      toolChoice:
        typeof choice === "object"
          ? { type: "tool", toolName: ("name" in choice ? choice : choice.function).name }
          : { type: choice },
    }),
  };
  const id = newId();
  if (!onChunk || !model.doStream)
    return withCallIds(messageOf(id, checkedAnswer((await model.doGenerate(options)) as Fields), model));
  const { stream } = (await model.doStream(options)) as { stream: ReadableStream<Fields> };
  return withCallIds(messageOf(id, await gathered(stream, id, onChunk, model), model));
}
