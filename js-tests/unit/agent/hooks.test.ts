import { createAgent, createMiddleware, tool } from "threadfold/agent";
import { expect, test } from "vitest";
import { arrows, replay, type Reply, scripted, shown, sorted } from "./records.js";

interface Hook {
  readonly jump?: { readonly at: number; readonly to: "model" | "tools" | "end" };
  readonly can?: readonly ("model" | "tools" | "end")[];
  readonly answers?: number;
}
interface Spec {
  readonly name: string;
  readonly hooks: Readonly<Record<string, Hook>>;
}
interface Given {
  readonly middleware: readonly Spec[];
  readonly replies: readonly Reply[];
  readonly direct: readonly string[];
  readonly tools: boolean;
}
interface Came {
  readonly messages: object[];
  readonly keys: string[];
}

const NAMES = {
  before_agent: "beforeAgent",
  before_model: "beforeModel",
  after_model: "afterModel",
  after_agent: "afterAgent",
} as const;

function middlewareOf({ name, hooks }: Spec, log: string[]) {
  const made: Record<string, unknown> = { name };
  for (const [python, hook] of Object.entries(hooks)) {
    if (python === "wrap_model_call") {
      made["wrapModelCall"] = async (request: unknown, handler: (request: unknown) => unknown) => {
        log.push(`${name}.model>`);
        const answer = await handler(request);
        log.push(`<${name}.model`);
        return answer;
      };
    } else if (python === "wrap_tool_call") {
      made["wrapToolCall"] = async (request: { toolCall: { id: string } }, handler: (request: unknown) => unknown) => {
        log.push(`${name}.${request.toolCall.id}>`);
        const answer = await handler(request);
        log.push(`<${name}.${request.toolCall.id}`);
        return answer;
      };
    } else made[NAMES[python as keyof typeof NAMES]] = nodeHook(name, python, hook, log);
  }
  return createMiddleware(made as never);
}

function nodeHook(name: string, python: string, { jump, can, answers }: Hook, log: string[]) {
  let seen = 0;
  const hook = ({ messages }: { messages: { type: string; tool_calls?: { id: string }[] }[] }) => {
    const at = seen++;
    log.push(`${name}.${python}`);
    const update: Record<string, unknown> = {};
    if (jump?.at === at) update["jumpTo"] = jump.to;
    if (answers === at) {
      const last = messages.findLast(({ type }) => type === "ai");
      update["messages"] = (last?.tool_calls ?? []).map(({ id }) => ({
        type: "tool",
        content: "answered",
        tool_call_id: id,
      }));
    }
    return Object.keys(update).length > 0 ? update : undefined;
  };
  return can ? { canJumpTo: can, hook } : hook;
}

const isTool = (entry: string) => /^<?\w\.c\d+>?$|\(/.test(entry);

/** Calls of one turn run side by side, in no order: they are sorted, as the recorder does. */
function ordered(log: readonly string[]): string[] {
  const parts: string[][] = [];
  for (const entry of log) {
    const last = parts.at(-1);
    if (isTool(entry) && last && isTool(last[0] as string)) last.push(entry);
    else parts.push([entry]);
  }
  return parts.flatMap((part) => part.sort());
}

/** The messages with the first result of each call. */
function answeredOnce(messages: readonly object[] = []): object[] {
  const seen = new Set<unknown>();
  return messages.filter((message) => {
    const { tool_call_id: id } = message as { tool_call_id?: string };
    return id === undefined || (!seen.has(id) && seen.add(id));
  });
}

test("hooks run in LangChain's order, jump where it jumps, and make its graph", () =>
  replay(
    "hooks",
    async ({ in: given, out, error, raised, log, edges }: import("./records.js").Recorded<Given, Came>) => {
      const own: string[] = [];
      const tools = ["echo", "ping"].map((name) =>
        tool({
          name,
          returnDirect: given.direct.includes(name),
          run: ({ x }: { x: string }) => {
            own.push(`${name}(${x})`);
            return `${name}:${x}`;
          },
        }),
      );
      const build = () =>
        createAgent({
          model: scripted(given.replies),
          tools: given.tools ? tools : [],
          middleware: given.middleware.map((spec) => middlewareOf(spec, own)),
        });
      if (raised === "ValueError" && error?.includes("found unknown target")) {
        expect(build).toThrow(/unknown node/);
        return;
      }
      const agent = build();
      expect(arrows(agent.drawMermaid())).toEqual(sorted(edges));
      const run = agent.invoke({ messages: "go" }, { recursionLimit: 60, maxConcurrency: 1 });
      if (error !== undefined) {
        await expect(run).rejects.toThrow(error);
        return;
      }
      const result = await run;
      const messages = result.messages.map(shown);
      expect(answeredOnce(messages)).toEqual(answeredOnce(out?.messages));
      if (messages.length === out?.messages.length) expect(ordered(own)).toEqual(ordered(log));
      else {
        // A hook jumped to the tools: Python's run answered calls again. As in langgraph.js, ours do not.
        const others = (entries: readonly string[]) => entries.filter((entry) => !isTool(entry));
        expect(others(own)).toEqual(others(log));
        const ofCalls = own.filter((entry) => isTool(entry) && !entry.includes("("));
        expect(new Set(ofCalls).size).toBe(ofCalls.length);
      }
      expect(Object.keys(result).sort()).toEqual(out?.keys);
    },
  ));
