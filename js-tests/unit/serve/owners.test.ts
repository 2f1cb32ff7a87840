// Threads belong to their makers: both servers answer another user's request as if the thread did not exist.
import { MemorySaver as TheirMemorySaver } from "@langchain/langgraph";
import { defineSchema, field } from "threadfold";
import { END, MemorySaver, START, StateGraph } from "threadfold/graph";
import { serveAgUi, serveLangGraph, type FetchHandler } from "threadfold/serve";
import { describe, expect, test, vi } from "vitest";

const parrot = (checkpointer: unknown = new MemorySaver(), wait: Promise<void> = Promise.resolve()) =>
  new StateGraph(defineSchema({ messages: field.messages() }))
    .addNode("answer", async ({ messages }) => {
      await wait;
      return { messages: [{ type: "ai", content: `You wrote ${messages.at(-1)?.content}.` }] };
    })
    .addEdge(START, "answer")
    .addEdge("answer", END)
    .compile({ ...(checkpointer !== null && { checkpointer: checkpointer as MemorySaver }) });

/** Lets in by name; "root" without one. */
const authenticate = (request: Request) => {
  const identity = request.headers.get("authorization");
  return identity === "root" ? true : identity !== null && { identity };
};

type Ask = (as: string, method: string, path: string, body?: object) => Promise<Response>;

const asking =
  (handler: FetchHandler): Ask =>
  (as, method, path, body) =>
    handler(
      new Request(`http://localhost${path}`, {
        method,
        headers: { authorization: as },
        ...(body && { body: JSON.stringify(body) }),
      }),
    );

const agUi = (threadId: string, runId: string, content: string) => ({
  threadId,
  runId,
  messages: [{ id: `q-${content}`, role: "user", content }],
});
const run = (content: string, more: object = {}) => ({
  assistant_id: "agent",
  input: { messages: [{ type: "human", content }] },
  ...more,
});
const answerOf = async (response: Response | Promise<Response>) => {
  const { status } = await response;
  return [status, await (await response).text()] as const;
};

const refusing = (refuse: () => boolean, isAsync: boolean) => {
  const check = () => {
    if (refuse()) throw new Response("not today", { status: 403 });
    return {};
  };
  return isAsync ? async () => check() : check;
};

describe.each([
  ["threadfold's MemorySaver", () => new MemorySaver()],
  ["langgraph.js's MemorySaver", () => new TheirMemorySaver()],
  ["no checkpointer", () => null],
])("serve, with %s", (_, saver) => {
  const open = async () => {
    const ask = asking(serveAgUi(parrot(saver()), { authenticate, resumable: true }));
    expect(await answerOf(ask("alice", "POST", "/agent", agUi("a", "r", "a secret")))).toEqual([
      200,
      expect.stringContaining("a secret"),
    ]);
    return ask;
  };

  test.each([false, true])("a refused request makes no thread; its config is awaited: %s", async (isAsync) => {
    let refuses = true;
    const config = refusing(() => refuses, isAsync);
    const ask = asking(serveAgUi(parrot(saver()), { authenticate, resumable: true, config }));
    expect(await answerOf(ask("bob", "POST", "/agent", agUi("a", "r", "hello")))).toEqual([403, "not today"]);
    refuses = false;
    const told = await answerOf(ask("alice", "POST", "/agent", agUi("a", "r", "a secret")));
    expect(told).toEqual([200, expect.stringContaining("a secret")]);
    const refused = [404, '{"error":"There is no thread a."}'];
    expect(await answerOf(ask("bob", "POST", "/agent", agUi("a", "r", "hello")))).toEqual(refused);
  });

  test("of two users who begin one run of a new thread at once, one is refused", async () => {
    const ask = asking(serveAgUi(parrot(saver()), { authenticate, resumable: true }));
    const both = [
      ask("alice", "POST", "/agent", agUi("a", "r", "a secret")),
      ask("bob", "POST", "/agent", agUi("a", "r", "mine")),
    ];
    const answers = await Promise.all(both.map(answerOf));
    const statuses = answers.map(([status]) => status).sort();
    expect(statuses).toEqual([200, 404]);
    const [own, other] = answers[0]?.[0] === 200 ? ["a secret", "mine"] : ["mine", "a secret"];
    const told = answers.find(([status]) => status === 200)?.[1];
    expect(told).toContain(own);
    expect(told).not.toContain(other);
  });

  test.each([
    ["her thread", "GET", "/agent/threads/a"],
    ["her run", "GET", "/agent/threads/a/runs/r"],
    ["a stop of her run", "DELETE", "/agent/threads/a/runs/r"],
    ["a run of her thread", "POST", "/agent", agUi("a", "mine", "hello")],
    ["a run with the id of hers", "POST", "/agent", agUi("a", "r", "hello")],
    [
      "a run that says it is hers",
      "POST",
      "/agent",
      { ...agUi("a", "r", "hello"), owner: "bob", metadata: { owner: "bob" } },
    ],
  ])("%s is 404 for another user", async (_, method, path, body?: object) => {
    const ask = await open();
    expect(await answerOf(ask("bob", method, path, body))).toEqual([404, '{"error":"There is no thread a."}']);
    expect(await answerOf(ask("alice", "GET", "/agent/threads/a/runs/r"))).toEqual([
      200,
      expect.stringContaining("a secret"),
    ]);
  });

  test("her thread is hers, a request without an identity has all", async () => {
    const ask = await open();
    const isKept = saver() !== null;
    expect((await ask("alice", "GET", "/agent/threads/a")).status).toBe(isKept ? 200 : 404);
    expect((await ask("root", "GET", "/agent/threads/a")).status).toBe(isKept ? 200 : 404);
    expect((await ask("root", "GET", "/agent/threads/a/runs/r")).status).toBe(200);
    expect((await ask("alice", "POST", "/agent", agUi("a", "r2", "more"))).status).toBe(200);
  });
});

describe.each([
  ["threadfold's MemorySaver", () => new MemorySaver()],
  ["langgraph.js's MemorySaver", () => new TheirMemorySaver()],
  ["no checkpointer", () => null],
])("serveLangGraph, with %s", (_, saver) => {
  test.each<[string, string, object, number]>([
    ["a config that throws", "/threads/a/runs", run("hello"), 403],
    ["an unknown assistant", "/threads/a/runs", run("hello", { assistant_id: "nobody" }), 404],
    ["an unknown strategy", "/threads/a/runs", run("hello", { multitask_strategy: "later" }), 422],
    ["an unknown mode", "/threads/a/runs/stream", run("hello", { stream_mode: "parts" }), 422],
    ["an unreadable filter", "/threads/a/stream/events", { channels: 1 }, 422],
    ["an unknown checkpoint", "/threads/a/runs", run("hello", { checkpoint_id: "none" }), 404],
  ])("a request refused for %s makes no thread", async (why, path, body, status) => {
    // Only a checkpointer knows which checkpoints exist.
    if (saver() === null && why === "an unknown checkpoint") return;
    for (const isAsync of [false, true]) {
      const config = refusing(() => status === 403, isAsync);
      const ask = asking(serveLangGraph({ agent: parrot(saver()) }, { authenticate, config }));
      expect((await ask("bob", "POST", path, body)).status).toBe(status);
      expect(await (await ask("bob", "POST", "/threads/search", {})).json()).toEqual([]);
      expect((await ask("alice", "POST", "/threads", { thread_id: "a" })).status).toBe(200);
      expect((await ask("bob", "POST", path, body)).status).toBe(404);
    }
  });

  test.each([
    ["make it", "/threads", { thread_id: "a", metadata: { of: "?" } }, 409],
    ["run it", "/threads/a/runs/wait", run("?"), 404],
  ])("of two users who %s at once, one gets a new thread", async (_, path, body, status) => {
    for (let ahead = 0; ahead < 12; ahead++) {
      const ask = asking(serveLangGraph({ agent: parrot(saver()) }, { authenticate }));
      const as = (user: string) =>
        ask(user, "POST", path, JSON.parse(JSON.stringify(body).replace("?", user)) as object);
      const alices = answerOf(as("alice"));
      for (let at = 0; at < ahead; at++) await Promise.resolve();
      const answers = await Promise.all([alices, answerOf(as("bob"))]);
      expect(answers.map(([one]) => one).sort()).toEqual([200, status]);
      const [own, other] = answers[0]?.[0] === 200 ? ["alice", "bob"] : ["bob", "alice"];
      expect(answers.find(([one]) => one === 200)?.[1]).not.toContain(other);
      expect(answers.find(([one]) => one !== 200)?.[1]).not.toContain(own);
      expect((await ask(own, "GET", "/threads/a")).status).toBe(200);
      expect((await ask(other, "GET", "/threads/a")).status).toBe(404);
    }
  });

  const open = async (more: object = {}) => {
    const ask = asking(serveLangGraph(parrot(saver()), { authenticate, ...more }));
    await ask("alice", "POST", "/threads", { thread_id: "a", metadata: { mine: true } });
    const begun = (await (await ask("alice", "POST", "/threads/a/runs", run("a secret"))).json()) as { run_id: string };
    const id = begun.run_id;
    expect((await ask("alice", "GET", `/threads/a/runs/${id}/join`)).status).toBe(200);
    return { ask, id };
  };

  test.each([
    ["her thread", "GET", "/threads/a"],
    ["its state", "GET", "/threads/a/state"],
    ["its state at a checkpoint", "POST", "/threads/a/state/checkpoint", { checkpoint: { checkpoint_id: "x" } }],
    ["the same by its address", "GET", "/threads/a/state/x"],
    ["a write to its state", "POST", "/threads/a/state", { values: { messages: [] } }],
    ["its history", "POST", "/threads/a/history", {}],
    ["its history by GET", "GET", "/threads/a/history"],
    ["its metadata", "PATCH", "/threads/a", { metadata: { owner: "bob" } }],
    ["its end", "DELETE", "/threads/a"],
    ["its runs", "GET", "/threads/a/runs"],
    ["a run, streamed", "POST", "/threads/a/runs/stream", run("hello")],
    ["a run, waited for", "POST", "/threads/a/runs/wait", run("hello")],
    ["a run, in the background", "POST", "/threads/a/runs", run("hello")],
    ["a run that says it is hers", "POST", "/threads/a/runs/wait", run("hello", { metadata: { owner: "bob" } })],
    ["her run", "GET", "/threads/a/runs/ID"],
    ["its result", "GET", "/threads/a/runs/ID/join"],
    ["its stream", "GET", "/threads/a/runs/ID/stream"],
    ["its stop", "POST", "/threads/a/runs/ID/cancel"],
    ["its deletion", "DELETE", "/threads/a/runs/ID"],
    ["her thread by an encoded name", "GET", "/threads/%61/state"],
  ])("%s is 404 for another user", async (_, method, path, body?: object) => {
    const { ask, id } = await open();
    const asked = ask("bob", method, path.replace("ID", id), body);
    expect(await answerOf(asked)).toEqual([404, '{"detail":"There is no thread a."}']);
    const list = (await (await ask("alice", "GET", "/threads/a/runs")).json()) as object[];
    expect(list).toHaveLength(1);
  });

  test.each([{}, { if_exists: "do_nothing" }, { if_exists: "do_nothing", metadata: { owner: "bob" } }])(
    "her thread, made once more with %j, is 409",
    async (more) => {
      const { ask } = await open();
      expect((await ask("bob", "POST", "/threads", { thread_id: "a", ...more })).status).toBe(409);
      expect((await ask("bob", "GET", "/threads/a")).status).toBe(404);
    },
  );

  test.each([{}, { ids: ["a"] }, { metadata: { mine: true } }, { status: "idle" }, { metadata: {} }])(
    "a search for %j lists each user's own",
    async (asked) => {
      const { ask } = await open();
      await ask("bob", "POST", "/threads", { thread_id: "b", metadata: { mine: true } });
      const listed = async (as: string) =>
        ((await (await ask(as, "POST", "/threads/search", asked)).json()) as { thread_id: string }[]).map(
          ({ thread_id }) => thread_id,
        );
      expect(await listed("bob")).toEqual("ids" in asked ? [] : ["b"]);
      expect(await listed("alice")).toEqual(["a"]);
      expect((await listed("root")).sort()).toEqual("ids" in asked ? ["a"] : ["a", "b"]);
    },
  );

  test("mayUse decides in place of the owner", async () => {
    const asked: unknown[] = [];
    const mayUse = ({
      identity,
      owner,
      threadId,
    }: {
      identity: string;
      owner: string | undefined;
      threadId: string;
    }) => {
      asked.push([identity, owner, threadId]);
      return identity === "bob" || owner === identity;
    };
    const { ask } = await open({ mayUse });
    expect((await ask("bob", "GET", "/threads/a/state")).status).toBe(200);
    expect((await ask("eve", "GET", "/threads/a/state")).status).toBe(404);
    expect(asked.slice(-2)).toEqual([
      ["bob", "alice", "a"],
      ["eve", "alice", "a"],
    ]);
    // It is still hers.
    expect((await ask("bob", "POST", "/threads/a/runs/wait", run("hello"))).status).toBe(200);
    expect((await ask("alice", "GET", "/threads/a/state")).status).toBe(200);
  });
});

describe.each([
  ["threadfold's MemorySaver", () => new MemorySaver()],
  ["langgraph.js's MemorySaver", () => new TheirMemorySaver()],
])("what outlives the program, with %s", (_, saver) => {
  test("a thread's owner, for both servers, also of one that has had no run yet", async () => {
    const kept = saver();
    const before = asking(serveLangGraph(parrot(kept), { authenticate }));
    await before("alice", "POST", "/threads", { thread_id: "empty" });
    await before("alice", "POST", "/threads/a/runs/wait", run("a secret"));
    const after = asking(serveLangGraph(parrot(kept), { authenticate }));
    const other = asking(serveAgUi(parrot(kept), { authenticate }));
    const all = (as: string) =>
      Promise.all([
        after(as, "GET", "/threads/a").then(({ status }) => status),
        after(as, "GET", "/threads/empty").then(({ status }) => status),
        other(as, "GET", "/threads/a").then(({ status }) => status),
        after(as, "POST", "/threads/search", {}).then(async (found) => ((await found.json()) as object[]).length),
        other(as, "POST", "/", agUi("a", "r", "hello")).then(({ status }) => status),
      ]);
    expect(await all("bob")).toEqual([404, 404, 404, 0, 404]);
    expect(await all("alice")).toEqual([200, 200, 200, 2, 200]);
  });

  test("is not part of a thread: its history and its state have its graph's checkpoints alone", async () => {
    const ask = asking(serveLangGraph(parrot(saver()), { authenticate }));
    await ask("alice", "POST", "/threads/a/runs/wait", run("Hi"));
    const history = (await (await ask("alice", "POST", "/threads/a/history", {})).json()) as { next: string[] }[];
    expect(history.map(({ next }) => next)).toEqual([[], ["answer"], ["__start__"]]);
    expect(JSON.stringify(history)).not.toContain("__owner__");
  });

  test.each([
    [
      "a run's configurable",
      "/threads/a/runs/wait",
      run("Hi", { config: { configurable: { checkpoint_ns: "__owner__" } }, metadata: { owner: "bob" } }),
    ],
    ["a run's metadata", "/threads/a/runs/wait", run("Hi", { metadata: { owner: "bob" } })],
    [
      "a run's checkpoint",
      "/threads/a/runs/wait",
      run("Hi", { checkpoint: { checkpoint_id: "x", checkpoint_ns: "__owner__" } }),
    ],
    [
      "a run's checkpoint, as a list",
      "/threads/a/runs/wait",
      run("Hi", { checkpoint: { checkpoint_id: "x", checkpoint_ns: ["__owner__"] } }),
    ],
    [
      "a write of the state",
      "/threads/a/state",
      { values: {}, checkpoint: { checkpoint_id: "x", checkpoint_ns: "__owner__" } },
    ],
    [
      "a run's thread",
      "/threads/mine/runs/wait",
      run("Hi", { config: { configurable: { thread_id: "a", checkpoint_ns: "__owner__" } } }),
    ],
  ])("%s does not give a thread away", async (_, path, body) => {
    const ask = asking(serveLangGraph(parrot(saver()), { authenticate }));
    await ask("alice", "POST", "/threads/a/runs/wait", run("a secret"));
    await (await ask("alice", "POST", path, body)).text();
    expect((await ask("bob", "GET", "/threads/a/state")).status).toBe(404);
    expect((await ask("alice", "GET", "/threads/a/state")).status).toBe(200);
  });

  test("a thread that the program made has no owner, unless mayUse says so", async () => {
    const graph = parrot(saver());
    await graph.invoke({ messages: "a secret" }, { threadId: "a" });
    const closed = asking(serveLangGraph(graph, { authenticate }));
    expect((await closed("alice", "POST", "/threads/a/runs/wait", run("Hi"))).status).toBe(404);
    expect((await closed("alice", "GET", "/threads/a/state")).status).toBe(404);
    expect((await asking(serveAgUi(graph, { authenticate }))("alice", "POST", "/", agUi("a", "r", "Hi"))).status).toBe(
      404,
    );
    const mayUse = ({ owner }: { owner: string | undefined }) => owner === undefined;
    const shared = asking(serveLangGraph(graph, { authenticate, mayUse }));
    expect((await shared("alice", "GET", "/threads/a/state")).status).toBe(200);
  });

  test("a thread that another program deleted is nobody's", async () => {
    const kept = saver();
    const [here, there] = [0, 1].map(() => asking(serveLangGraph(parrot(kept), { authenticate }))) as [Ask, Ask];
    await here("alice", "POST", "/threads", { thread_id: "a", metadata: { of: "Alice" } });
    await there("alice", "DELETE", "/threads/a");
    expect((await here("alice", "GET", "/threads/a")).status).toBe(404);
    expect(await (await here("alice", "POST", "/threads/search", {})).json()).toEqual([]);
    expect((await there("bob", "POST", "/threads", { thread_id: "a" })).status).toBe(200);
    const seen = await here("bob", "GET", "/threads/a");
    expect([seen.status, await seen.text()]).toEqual([200, expect.not.stringContaining("Alice")]);
  });

  test("a thread that another program deleted and made another user's shows that user no run of the one before", async () => {
    const kept = saver();
    const [here, there] = [0, 1].map(() => asking(serveLangGraph(parrot(kept), { authenticate }))) as [Ask, Ask];
    await here("alice", "POST", "/threads/a/runs/wait", run("a secret"));
    await there("alice", "DELETE", "/threads/a");
    expect((await there("bob", "POST", "/threads/a/runs/wait", run("Hi"))).status).toBe(200);
    expect((await there("bob", "GET", "/threads/a/state")).status).toBe(200);
    expect((await here("bob", "GET", "/threads/a/runs")).status).toBe(404);
    expect((await here("alice", "GET", "/threads/a/state")).status).toBe(404);
  });

  test.each<[string, string, string, (checkpoint_id: string) => object]>([
    [
      "a checkpoint of hers",
      "POST",
      "/threads/b/state/checkpoint",
      (id) => ({ checkpoint: { thread_id: "a", checkpoint_id: id } }),
    ],
    ["the same by its id", "POST", "/threads/b/state/checkpoint", (id) => ({ checkpoint: id })],
    [
      "a run from it",
      "POST",
      "/threads/b/runs/wait",
      (id) => ({ assistant_id: "agent", checkpoint: { thread_id: "a", checkpoint_id: id } }),
    ],
    ["a run from it by its id", "POST", "/threads/b/runs/wait", (id) => ({ assistant_id: "agent", checkpoint_id: id })],
    [
      "a run whose configurable names her thread",
      "POST",
      "/threads/b/runs/wait",
      (id) => ({ ...run("Hi"), config: { configurable: { thread_id: "a", checkpoint_id: id } } }),
    ],
    ["a run whose body names her thread", "POST", "/threads/b/runs/wait", () => ({ ...run("Hi"), thread_id: "a" })],
    [
      "a run without a thread that names hers",
      "POST",
      "/runs/wait",
      () => ({ ...run("Hi"), thread_id: "a", config: { configurable: { thread_id: "a" } } }),
    ],
    [
      "a write of it",
      "POST",
      "/threads/b/state",
      (id) => ({ values: { messages: [] }, checkpoint: { thread_id: "a", checkpoint_id: id } }),
    ],
    [
      "a history from it",
      "POST",
      "/threads/b/history",
      (id) => ({ checkpoint: { thread_id: "a", checkpoint_id: id } }),
    ],
    [
      "a history before it",
      "POST",
      "/threads/b/history",
      (id) => ({ before: { configurable: { thread_id: "a", checkpoint_ns: "", checkpoint_id: `${id}z` } } }),
    ],
    ["a history by metadata", "POST", "/threads/b/history", () => ({ metadata: { thread_id: "a" } })],
    [
      "a search for its values",
      "POST",
      "/threads/search",
      () => ({ values: {}, status: "idle", ids: ["a", "b"], limit: 100 }),
    ],
  ])("%s tells another user nothing", async (_, method, path, body) => {
    const ask = asking(serveLangGraph(parrot(saver()), { authenticate }));
    await ask("alice", "POST", "/threads/a/runs/wait", run("a secret"));
    await ask("bob", "POST", "/threads/b/runs/wait", run("Hi"));
    const before = await (await ask("alice", "GET", "/threads/a/history")).text();
    const { checkpoint } = (await (await ask("alice", "GET", "/threads/a/state")).json()) as {
      checkpoint: { checkpoint_id: string };
    };
    expect(await (await ask("bob", method, path, body(checkpoint.checkpoint_id))).text()).not.toContain("secret");
    expect(await (await ask("bob", "GET", "/threads/b/state")).text()).not.toContain("secret");
    expect(await (await ask("alice", "GET", "/threads/a/history")).text()).toBe(before);
  });

  test.each(["__proto__", "constructor", "toString"])("%s is the id of no thread and of no checkpoint", async (id) => {
    const ask = asking(serveLangGraph(parrot(saver()), { authenticate }));
    const agent = asking(serveAgUi(parrot(saver()), { authenticate }));
    await ask("alice", "POST", "/threads/a/runs/wait", run("a secret"));
    const refused = [
      await ask("bob", "POST", `/threads/${id}/runs/wait`, run("Hi")),
      await ask("bob", "POST", "/threads", { thread_id: id }),
      await ask("alice", "POST", "/threads/a/runs/wait", run("Hi", { checkpoint_id: id })),
      await ask("alice", "POST", "/threads/a/state/checkpoint", {
        checkpoint: { checkpoint_id: "x", checkpoint_ns: id },
      }),
      await ask("alice", "GET", `/threads/a/state/${id}`),
      await agent("bob", "POST", "/", agUi(id, "r", "Hi")),
      await agent("bob", "GET", `/threads/${id}`),
    ];
    expect(refused.map(({ status }) => status)).toEqual(refused.map(() => 422));
    expect(Object.keys(Object.prototype)).toEqual([]);
  });

  test.each(["__owner__", "a b/../a", "*", "%61"])("a thread whose id is %j is as any other", async (id) => {
    const ask = asking(serveLangGraph(parrot(saver()), { authenticate }));
    const at = `/threads/${encodeURIComponent(id)}`;
    await ask("alice", "POST", "/threads/a/runs/wait", run("a secret"));
    expect((await ask("bob", "GET", `${at}/state`)).status).toBe(404);
    const [status, text] = await answerOf(ask("bob", "POST", `${at}/runs/wait`, run("Hi")));
    expect([status < 500, text.includes("secret")]).toEqual([true, false]);
    expect((await ask("eve", "GET", `${at}/state`)).status).toBe(404);
    expect((await ask("bob", "GET", "/threads/a/state")).status).toBe(404);
    expect((await ask("alice", "GET", "/threads/a/state")).status).toBe(200);
  });

  test("a deleted thread has no owner: its id can be made anew", async () => {
    const ask = asking(serveLangGraph(parrot(saver()), { authenticate }));
    await ask("alice", "POST", "/threads/a/runs/wait", run("a secret"));
    expect((await ask("alice", "DELETE", "/threads/a")).status).toBe(204);
    const [status, text] = await answerOf(ask("bob", "POST", "/threads/a/runs/wait", run("Hi")));
    expect([status, text.includes("secret")]).toEqual([200, false]);
    expect((await ask("alice", "GET", "/threads/a")).status).toBe(404);
  });

  test("two users who make one thread at the same time: it is one's", async () => {
    const ask = asking(serveLangGraph(parrot(saver()), { authenticate }));
    const made = await Promise.all(
      ["alice", "bob", "eve"].map((as) => ask(as, "POST", "/threads/new/runs/wait", run(`Hi from ${as}`))),
    );
    expect(made.map(({ status }) => status)).toEqual([200, 404, 404]);
  });
});

test("a run without a thread is its user's while it continues", async () => {
  let release = () => {};
  const wait = new Promise<void>((resolve) => (release = resolve));
  const ask = asking(serveLangGraph(parrot(new MemorySaver(), wait), { authenticate }));
  const begun = await ask("alice", "POST", "/runs", run("a secret"));
  const at = begun.headers.get("content-location") ?? "";
  expect((await ask("bob", "GET", `${at}/stream`)).status).toBe(404);
  expect((await ask("bob", "POST", `${at}/cancel`)).status).toBe(404);
  expect((await ask("alice", "GET", at)).status).toBe(200);
  release();
});

test("an identity is a text that says something", async () => {
  for (const answer of [{ identity: "" }, { identity: 7 }, { identity: null }, { identity: undefined }]) {
    const handler = serveAgUi(parrot(), { authenticate: () => answer as never });
    expect((await handler(new Request("http://localhost/threads/a"))).status).toBe(401);
  }
});

test("an error of mayUse goes to the server's log alone", async () => {
  const logged = vi.spyOn(console, "error").mockImplementation(() => {});
  const mayUse = () => {
    throw new Error("postgres://app:secret@host");
  };
  const ask = asking(serveLangGraph(parrot(), { authenticate, mayUse }));
  await ask("ada", "POST", "/threads", { thread_id: "t1" });
  const [status, text] = await answerOf(ask("ada", "GET", "/threads/t1"));
  expect([status, text.includes("secret"), logged.mock.calls.length]).toEqual([500, false, 1]);
  logged.mockRestore();
});

test("mayUse needs an identity to ask about", () => {
  for (const make of [serveAgUi, serveLangGraph] as const) {
    expect(() => make(parrot(), { mayUse: () => true })).toThrow("mayUse needs authenticate");
    expect(() => make(parrot(), { authenticate, mayUse: "all" as never })).toThrow("mayUse should be a function.");
  }
});
