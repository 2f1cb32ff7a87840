import { addMessages, MessageList } from "threadfold";
import { expect, test } from "vitest";
import { normalMessages } from "./normal-form.js";
import { refusal, replay, type Recorded } from "./records.js";

interface Given {
  left: unknown[] | null;
  writes: unknown[];
}

type Case = Recorded<Given, object[]>;

const rules = "deepagents";
const flat = (writes: unknown[]) => writes.flatMap((write) => write);
const hasNumberForId = ({ left, writes }: Given) => /"id":\d/.test(JSON.stringify([left, writes]));

function check(merge: (given: Given) => unknown): (record: Case) => void {
  return ({ in: given, out }) => {
    if (hasNumberForId(given)) expect(refusal(() => merge(given)).code).toBe("INVALID_MESSAGE");
    else expect(normalMessages(merge(given))).toEqual(normalMessages(out));
  };
}

test("addMessages with DeepAgents' rules answers as its batch reducer does, all writes at once", () => {
  const merge = ({ left, writes }: Given) => addMessages(left as never, flat(writes) as never, { rules });
  replay("deepagents-messages", check(merge));
});

/** Of two messages with one id in `left` a removal takes the last; the next write then finds the first. */
function hasDoubles({ left }: Given): boolean {
  const ids = (left ?? []).map((message) => (message as { id?: string }).id).filter((id) => typeof id === "string");
  return new Set(ids).size < ids.length;
}

const exceptDoubles = (check: (record: Case) => void) => (record: Case) => {
  if (!hasDoubles(record.in)) check(record);
};

test("addMessages with DeepAgents' rules answers as its batch reducer does, write by write", () => {
  const merge = ({ left, writes }: Given) =>
    writes.reduce<unknown>((list, write) => addMessages(list as never, write as never, { rules }), left ?? []);
  replay("deepagents-messages", exceptDoubles(check(merge)));
});

test("a MessageList with DeepAgents' rules has the same result", () => {
  const merge = ({ left, writes }: Given) => {
    using list = new MessageList((left ?? []) as never[], { rules });
    for (const write of writes) list.update(write as never);
    return list.snapshot();
  };
  replay("deepagents-messages", exceptDoubles(check(merge)));
});
