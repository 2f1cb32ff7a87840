// Routes requests to the objects of their threads.
import { checkOptions } from "../../shared/options.js";
import { bodyOf, type BodyLimits } from "../request-body.js";

/** No thread is called that: no address can name it. */
const NO_THREAD = ".";

/**
 * Returns the id of the thread that a request is about: of its path, or of its JSON. Name the thread's Durable Object by it.
 * A request without a thread gets `"."`, which no thread is called: that object says what the server can do, and refuses
 * bad requests.
 *
 * @param limits - The limits of a body, as the server in the object has them.
 *
 * @example
 * ```ts
 * import { threadIdOf } from "threadfold/serve/durable-object";
 *
 * const body = JSON.stringify({ threadId: "t1", runId: "r1", messages: [] });
 * console.log(await threadIdOf(new Request("http://localhost/agent", { method: "POST", body }))); // t1
 * console.log(await threadIdOf(new Request("http://localhost/agent/threads/t2/events"))); // t2
 *
 * // In a Worker, whose objects are bound to THREADS:
 * interface Env {
 *   THREADS: { getByName(name: string): { fetch(request: Request): Promise<Response> } };
 * }
 * const worker = {
 *   fetch: async (request: Request, env: Env) => env.THREADS.getByName(await threadIdOf(request)).fetch(request),
 * };
 * ```
 */
export async function threadIdOf(request: Request, limits: BodyLimits = {}): Promise<string> {
  checkOptions("threadIdOf", limits, ["maxBodyBytes", "maxDepth"]);
  const [, inPath] = /\/threads\/([^/]+)/.exec(new URL(request.url).pathname) ?? [];
  try {
    if (inPath !== undefined) return decodeURIComponent(inPath);
    if (request.method !== "POST") return NO_THREAD;
    const body = (await bodyOf(request.clone() as Request, limits)) as Partial<Record<string, unknown>> | null;
    const id = body?.["threadId"] ?? body?.["thread_id"];
    return typeof id === "string" && id !== "" ? id : NO_THREAD;
  } catch {
    // The object refuses it, in the words of its server.
    return NO_THREAD;
  }
}
