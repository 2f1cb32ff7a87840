// The tool calls that wait for a person's yes, and their description.
import { ThreadfoldError } from "../../shared/errors.js";
import { checkOptions, type NamesOf } from "../../shared/options.js";
import type { ToolCall } from "../../state/messages.js";
import { DECISIONS, type DecisionType } from "../decide.js";
import type { AgentState, Runtime } from "../types.js";

/** The decisions that a tool allows, and the text shown to the person who decides. */
export interface InterruptOnConfig {
  readonly allowedDecisions: readonly DecisionType[];
  readonly description?:
    string | ((toolCall: ToolCall, state: AgentState, runtime: Runtime) => string | Promise<string>) | undefined;
  /** Whether this call needs a yes. It has to say the same when the run is resumed. */
  readonly when?:
    | ((request: {
        readonly toolCall: ToolCall;
        readonly state: AgentState;
        readonly runtime: Runtime;
      }) => boolean | Promise<boolean>)
    | undefined;
  /** The schema of the arguments, for who edits them: it is in the review config. */
  readonly argsSchema?: object | undefined;
}

const NAMES: NamesOf<InterruptOnConfig> = { allowedDecisions: true, description: true, when: true, argsSchema: true };

/** The value of the interrupt, in the form of LangChain's servers. Clients of both languages read it. */
export interface ApprovalRequest {
  readonly action_requests: readonly { readonly name: string; readonly args: object; readonly description: string }[];
  readonly review_configs: readonly {
    readonly action_name: string;
    readonly allowed_decisions: readonly DecisionType[];
    readonly args_schema?: object;
  }[];
}

/** The value of an interrupt with `interruptMode: "per_call"`. */
export interface ToolApprovalRequest {
  readonly type: "tool_approval";
  readonly tool_call_id: string;
  readonly name: string;
  readonly args: object;
  readonly description: string;
}

/** A call, and where it is about to run. */
export interface GatedCall {
  readonly toolCall: ToolCall;
  readonly state: AgentState;
  readonly runtime: Runtime;
}

/** The tools that need a yes. */
export class ApprovalGates {
  readonly #configs = new Map<string, InterruptOnConfig>();
  readonly #prefix: string;

  /** @throws {@link ThreadfoldError} `INVALID_ARGUMENT` for a tool without decisions. */
  constructor(interruptOn: Readonly<Record<string, boolean | InterruptOnConfig>>, descriptionPrefix: string) {
    this.#prefix = descriptionPrefix;
    for (const [name, given] of Object.entries(interruptOn)) {
      if (given === false) continue;
      const config = given === true ? { allowedDecisions: DECISIONS } : given;
      checkOptions(`humanInTheLoopMiddleware: interruptOn.${name}`, config, Object.keys(NAMES));
      const { allowedDecisions: allowed } = config;
      if (!Array.isArray(allowed) || allowed.length === 0 || !allowed.every((one) => DECISIONS.includes(one as never)))
        throw new ThreadfoldError(
          "INVALID_ARGUMENT",
          `humanInTheLoopMiddleware: interruptOn.${name} needs allowedDecisions, a list of ${DECISIONS.join(", ")}.`,
        );
      this.#configs.set(name, config);
    }
  }

  /** The config of a call that has to be asked for. */
  async of(call: GatedCall): Promise<InterruptOnConfig | undefined> {
    const config = this.#configs.get(call.toolCall.name);
    return config && ((await config.when?.(call)) ?? true) ? config : undefined;
  }

  /** Describes a call to the person who decides. */
  async shown({ toolCall, state, runtime }: GatedCall, { description }: InterruptOnConfig) {
    const { name, args } = toolCall;
    const usual = `${this.#prefix}\n\nTool: ${name}\nArgs: ${JSON.stringify(args, null, 2)}`;
    const own = typeof description === "function" ? await description(toolCall, state, runtime) : description;
    return { name, args, description: own ?? usual };
  }
}
