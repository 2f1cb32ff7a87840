import { ThreadfoldError } from "../../shared/errors.js";
import { checkOptions, type NamesOf } from "../../shared/options.js";
import { field } from "../../state/fields.js";
import type { FileData } from "../../state/files.js";
import { withPrompt } from "./request-changes.js";
import type { AgentState, Middleware } from "../types.js";
import { fileAt, contentOf } from "../backends/file-at.js";
import type { CompositeBackend } from "../backends/types.js";

/** Options of {@link createMemoryMiddleware}. */
export interface MemoryOptions {
  /** The paths of the files, such as `/memories/AGENTS.md`. */
  readonly sources: readonly string[];
  /** Where the files are. Otherwise they are the state's. */
  readonly backend?: CompositeBackend | undefined;
  /** The instructions about the memory, with `{agent_memory}` where it goes. Null adds nothing to the prompt. */
  readonly systemPrompt?: string | null | undefined;
}

const NAMES: NamesOf<MemoryOptions> = { sources: true, backend: true, systemPrompt: true };
const SLOT = "{agent_memory}";
const PROMPT = `## Memory
<agent_memory>
${SLOT}
</agent_memory>
These files are your memory from earlier conversations. When you learn something that later conversations need, such as a correction or a preference, write it to its file with \`edit_file\`. Never write credentials there.`;

type Fields = { readonly memoryContents: ReturnType<typeof memoryField> };
const memoryField = () => field.replace<Readonly<Record<string, string>>>({ private: true });

/**
 * Adds files to the agent's system prompt, as deepagents' `createMemoryMiddleware` does. A thread reads them once, before
 * its first run, into the private field `memoryContents`. Files that are not there are left out, and so are HTML comments.
 *
 * @throws {@link ThreadfoldError} `INVALID_ARGUMENT`; in a run for a file that is not text.
 *
 * @example
 * ```ts
 * import { createAgent } from "threadfold/agent";
 * import { compositeBackend, createMemoryMiddleware } from "threadfold/agent/backends";
 *
 * const notes = { read: () => ({ content: "The user is Ada." }), write: () => {}, list: () => [] };
 * const memory = createMemoryMiddleware({
 *   backend: compositeBackend({ "/memories/": notes }),
 *   sources: ["/memories/AGENTS.md"],
 *   systemPrompt: "You know: {agent_memory}",
 * });
 * const agent = createAgent({ model: ([system]) => String(system?.content), middleware: [memory] });
 * const { messages } = await agent.invoke({ messages: "Who am I?" });
 * console.log(String(messages.at(-1)?.content).split("\n\n")); // [ 'You know: /memories/AGENTS.md', 'The user is Ada.' ]
 * ```
 */
export function createMemoryMiddleware(options: MemoryOptions): Middleware<Fields> {
  checkOptions("createMemoryMiddleware", options, Object.keys(NAMES));
  const { sources, backend, systemPrompt = PROMPT } = options ?? {};
  if (!Array.isArray(sources) || !sources.every((path) => typeof path === "string" && path.startsWith("/")))
    throw new ThreadfoldError("INVALID_ARGUMENT", "createMemoryMiddleware: expected a list of paths as `sources`.");
  if (systemPrompt !== null && !systemPrompt.includes(SLOT))
    throw new ThreadfoldError("INVALID_ARGUMENT", `createMemoryMiddleware: \`systemPrompt\` has no ${SLOT}.`);
  return {
    name: "MemoryMiddleware",
    stateSchema: { memoryContents: memoryField() },
    beforeAgent: async (state) => {
      if (state.memoryContents) return undefined;
      const ofState = (state as AgentState)["files"] as Readonly<Record<string, FileData>> | undefined;
      const memoryContents: Record<string, string> = {};
      for (const path of sources as readonly string[]) {
        const file = await fileAt(backend, path, ofState ?? {});
        if (file) memoryContents[path] = textIn(path, file);
      }
      return { memoryContents };
    },
    wrapModelCall: (request, handler) => {
      if (systemPrompt === null) return handler(request);
      const memory = memoryOf(sources, request.state.memoryContents ?? {});
      return handler(withPrompt(request, systemPrompt.split(SLOT).join(memory)));
    },
  };
}

function textIn(path: string, file: FileData): string {
  if (file.encoding !== "base64") return contentOf(file);
  throw new ThreadfoldError("INVALID_ARGUMENT", `createMemoryMiddleware: '${path}' is not a text.`);
}

function memoryOf(sources: readonly string[], contents: Readonly<Record<string, string>>): string {
  const sections = sources.flatMap((path) => {
    const text = withoutComments(contents[path] ?? "").trimEnd();
    return text === "" ? [] : [`${path}\n\n${text}`];
  });
  return sections.length > 0 ? sections.join("\n\n") : "(No memory loaded)";
}

/** The text without HTML comments; one without an end is text. */
function withoutComments(text: string): string {
  const kept: string[] = [];
  let from = 0;
  for (;;) {
    const start = text.indexOf("<!--", from);
    const end = start < 0 ? -1 : text.indexOf("-->", start + 4);
    if (end < 0) return kept.join("") + text.slice(from);
    kept.push(text.slice(from, start));
    from = end + 3;
  }
}
