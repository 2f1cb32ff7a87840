// Requests of LangGraph's API that this server refuses, each with a reason.

const OF_CODE = "the assistants are the graphs of the program";
const REFUSED: readonly (readonly [method: string, path: RegExp, reason: string])[] = [
  ["POST", /^\/assistants$/, OF_CODE],
  ["PATCH", /^\/assistants\/[^/]+$/, OF_CODE],
  ["DELETE", /^\/assistants\/[^/]+$/, OF_CODE],
  ["POST", /^\/assistants\/[^/]+\/latest$/, "an assistant has one version, the program's"],
  ["GET", /^\/assistants\/[^/]+\/(schemas|subgraphs)(\/|$)/, "graphs have no JSON Schema"],
  ["POST", /^\/threads\/prune$/, "delete the threads one by one"],
  ["POST", /^\/threads\/[^/]+\/copy$/, "start a run of another thread with the state as its input"],
  [
    "PATCH",
    /^\/threads\/[^/]+\/state$/,
    "a checkpoint's metadata does not change. PATCH /threads/ID changes the thread's",
  ],
  ["POST", /^\/runs\/batch$/, "start the runs one by one"],
  ["POST", /^\/runs\/cancel$/, "cancel the runs one by one"],
  ["POST", /^\/threads\/[^/]+\/runs\/crons$/, "there is no scheduler"],
  ["*", /^\/runs\/crons(\/|$)/, "there is no scheduler"],
  ["*", /^\/store(\/|$)/, "the store is the program's own"],
];

/** Returns why a request is not served; undefined for one that the API does not have. */
export function reasonFor(method: string, path: string): string | undefined {
  const bare = path.replace(/(.)\/$/, "$1");
  return REFUSED.find(([of, pattern]) => (of === "*" || of === method) && pattern.test(bare))?.[2];
}
