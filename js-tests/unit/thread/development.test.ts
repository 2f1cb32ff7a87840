// Behaviour of development builds only, each in a process of its own: the package reads NODE_ENV once.
import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";

const PROGRAM = `
  import { MessageList, Thread } from "threadfold";
  const warned = [];
  console.warn = (...said) => void warned.push(said.map(String).join(" "));
  const own = new (class Own { type = "ai"; id = "own"; content = ""; })();
  const thread = new Thread({ values: { messages: [{ type: "ai", id: "1", content: "a" }, own] } });
  thread.receive({ type: "text", messageId: "1", text: "b" });
  thread.receive({ type: "text", messageId: "nobody", text: "b" });
  const end = thread.on("error", () => {});
  thread.receive({ type: "text", messageId: "nobody", text: "b" });
  end();
  const list = new MessageList([{ type: "ai", id: "1", content: "a" }]);
  list.append("1", "b");
  const [state, snapshot] = [thread.getState(), list.snapshot()];
  const frozen = [state, state.messages, state.messages[0], thread.getConfirmedState(), snapshot, snapshot[0]].map((value) => Object.isFrozen(value));
  console.log(JSON.stringify({ frozen, own: Object.isFrozen(own), warned }));
`;

function run(mode: string | undefined): { frozen: boolean[]; own: boolean; warned: string[] } {
  const { NODE_ENV: _mode, NODE_OPTIONS: _options, ...env } = process.env;
  const args = ["--input-type=module", "--eval", PROGRAM];
  const said = execFileSync(process.execPath, args, {
    cwd: import.meta.dirname,
    env: mode === undefined ? env : { ...env, NODE_ENV: mode },
    encoding: "utf8",
  });
  return JSON.parse(said) as ReturnType<typeof run>;
}

test("with NODE_ENV development, returned values are frozen, and an error without a listener is one warning", () => {
  const { frozen, own, warned } = run("development");
  expect(frozen).toEqual(frozen.map(() => true));
  expect(own).toBe(false);
  expect(warned.length).toBe(1);
  expect(warned[0]).toContain("nobody");
});

test.each([undefined, "production", "test", ""])("with NODE_ENV %j, neither", (mode) => {
  const { frozen, warned } = run(mode);
  expect(frozen).toEqual(frozen.map(() => false));
  expect(warned).toEqual([]);
});
