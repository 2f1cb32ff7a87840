// Generated messages in every form that langgraph.js accepts. A spec is plain data, so that fast-check can print and
// shrink it. Each reducer gets messages of its own, because langgraph.js changes its arguments.
import {
  AIMessage,
  AIMessageChunk,
  FunctionMessage,
  HumanMessage,
  HumanMessageChunk,
  RemoveMessage,
  SystemMessage,
  ToolMessage,
} from "@langchain/core/messages";
import * as fc from "fast-check";

export interface Call {
  name: string;
  args: Record<string, unknown>;
  id: string;
}

export interface Spec {
  form: "string" | "pair" | "role" | "dict" | "instance" | "envelope" | "malformed";
  kind: string;
  content: string | object[];
  id?: string | null | undefined;
  name?: string | undefined;
  calls?: Call[] | undefined;
  openAi?: boolean | undefined;
  /** The value of a malformed one. */
  value?: unknown;
}

export const REMOVE_ALL = "__remove_all__";

const ID = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom<(string | null | undefined)[]>("1", "2", "3", "4") },
  { weight: 1, arbitrary: fc.constantFrom<(string | null | undefined)[]>("", null, undefined) },
  { weight: 1, arbitrary: fc.constant(undefined) },
);

const CONTENT = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom<(string | object[])[]>("a", "b", "", "hé\n") },
  { weight: 1, arbitrary: fc.constantFrom("a", "b").map((text): string | object[] => [{ type: "text", text }]) },
);

const CALLS = fc.array(
  fc.record({
    name: fc.constantFrom("add", "find"),
    args: fc.constantFrom<Record<string, unknown>[]>({}, { n: 1 }, { n: [{}] }),
    id: fc.constantFrom("t1", "t2"),
  }),
  { maxLength: 2 },
);

const FIELDS = {
  content: CONTENT,
  id: ID,
  calls: CALLS,
  name: fc.constantFrom(undefined, undefined, undefined, "bob"),
};

function specs(form: Spec["form"], kinds: string[]): fc.Arbitrary<Spec> {
  return fc.record({ ...FIELDS, form: fc.constant(form), kind: fc.constantFrom(...kinds), openAi: fc.boolean() });
}

const MALFORMED = fc
  .constantFrom<unknown[]>(
    { type: "alien", content: "a" },
    { role: "alien", content: "a", id: "1" },
    { type: "tool", content: "a", id: "1" },
    { type: "remove" },
    { content: "a" },
    {},
    ["alien", "a"],
    [],
    null,
    undefined,
    5,
  )
  .map((value): Spec => ({ form: "malformed", kind: "malformed", content: "", value }));

export const wholeMessage: fc.Arbitrary<Spec> = fc.oneof(
  { weight: 6, arbitrary: specs("dict", ["human", "ai", "system", "tool"]) },
  { weight: 6, arbitrary: specs("instance", ["human", "ai", "aiChunk", "humanChunk", "system", "tool", "function"]) },
  { weight: 3, arbitrary: specs("role", ["user", "human", "assistant", "ai", "system", "developer", "tool"]) },
  { weight: 1, arbitrary: specs("string", ["human"]) },
  { weight: 1, arbitrary: specs("pair", ["user", "ai", "system", "developer", "assistant", "human"]) },
  {
    weight: 1,
    arbitrary: specs("envelope", ["HumanMessage", "AIMessage", "AIMessageChunk", "SystemMessage", "ToolMessage"]),
  },
);

export const removal: fc.Arbitrary<Spec> = fc.record({
  form: fc.constantFrom<Spec["form"][]>("dict", "instance"),
  kind: fc.constant("remove"),
  content: fc.constant(""),
  id: fc.constantFrom("1", "2", "3", "4", "unknown", "", REMOVE_ALL),
});

/** A list for the left side: whole messages, with an occasional removal or invalid message. */
export const leftSpecs: fc.Arbitrary<Spec[]> = fc.array(
  fc.oneof(
    { weight: 200, arbitrary: wholeMessage },
    { weight: 1, arbitrary: removal },
    { weight: 1, arbitrary: MALFORMED },
  ),
  { maxLength: 6 },
);

/** A list for the right side, with removals. */
export const rightSpecs: fc.Arbitrary<Spec[]> = fc.array(
  fc.oneof(
    { weight: 60, arbitrary: wholeMessage },
    { weight: 20, arbitrary: removal },
    { weight: 1, arbitrary: MALFORMED },
  ),
  { maxLength: 6 },
);

/** The message of a spec, made anew with every call. */
export function make(spec: Spec): unknown {
  const { kind } = spec;
  const content = structuredClone(spec.content);
  const calls = structuredClone(spec.calls);
  switch (spec.form) {
    case "string":
      return typeof content === "string" ? content : "";
    case "pair":
      return [kind, content];
    case "role":
      return { role: kind, ...fields(spec, content) };
    case "dict":
      return kind === "remove" ? { type: kind, id: spec.id } : { type: kind, ...fields(spec, content) };
    case "envelope":
      return {
        lc: 1,
        type: "constructor",
        id: ["langchain_core", "messages", kind],
        kwargs: fields(spec, content),
      };
    case "instance":
      return instance(spec, { content, ...optional(spec) } as never, calls ?? []);
    case "malformed":
      return structuredClone(spec.value);
  }
}

function optional(spec: Spec): object {
  return {
    ...("id" in spec && spec.id !== undefined ? { id: spec.id } : {}),
    ...(spec.name === undefined ? {} : { name: spec.name }),
  };
}

function fields(spec: Spec, content: unknown): object {
  const assistant = ["ai", "assistant", "AIMessage", "AIMessageChunk"].includes(spec.kind);
  const calls = assistant && spec.calls && spec.calls.length > 0 ? { tool_calls: spec.calls.map(call(spec)) } : {};
  const answers = ["tool", "ToolMessage"].includes(spec.kind) ? { tool_call_id: "t1" } : {};
  return { content, ...optional(spec), ...answers, ...calls };
}

function call({ openAi }: Spec): (call: Call) => object {
  if (!openAi) return (call) => structuredClone(call);
  return ({ id, name, args }) => ({ id, type: "function", function: { name, arguments: JSON.stringify(args) } });
}

function instance(spec: Spec, fields: never, calls: Call[]): object {
  const given = fields as { content: string; id?: string; name?: string };
  switch (spec.kind) {
    case "remove":
      return new RemoveMessage({ id: spec.id ?? "" });
    case "ai":
      return new AIMessage({ ...given, tool_calls: calls });
    case "aiChunk":
      return new AIMessageChunk({
        ...given,
        tool_call_chunks: calls.map(({ id, name, args }, index) => ({ id, name, args: JSON.stringify(args), index })),
      });
    case "human":
      return new HumanMessage(given);
    case "humanChunk":
      return new HumanMessageChunk(given);
    case "system":
      return new SystemMessage(given);
    case "tool":
      return new ToolMessage({ ...given, tool_call_id: "t1" });
    default:
      return new FunctionMessage({ ...given, name: "f" });
  }
}
