// Which pages may call a server: a browser says where a request comes from, and sends cookies unasked.
import { ThreadfoldError } from "../shared/errors.js";
import { Refusal } from "./refusal.js";

/** Which pages of other origins may call: `true` for all, without cookies; those of one origin, or of several. */
export type Cors = boolean | string | readonly string[];

/** @throws {@link ThreadfoldError} `INVALID_ARGUMENT` for a name that no browser would send as an origin. */
export function checkCors(cors: unknown): void {
  if (cors === undefined || typeof cors === "boolean") return;
  for (const origin of [cors].flat())
    if (typeof origin !== "string" || !/^[\w.+-]+:\/\/[^/*]+$/.test(origin))
      throw new ThreadfoldError(
        "INVALID_ARGUMENT",
        `cors should be true or origins such as "https://example.org": ${JSON.stringify(origin)} is not.`,
      );
}

const named = (cors: Cors | undefined): readonly string[] =>
  typeof cors === "string" ? [cors] : typeof cors === "object" ? cors : [];

/** The headers by which a browser lets a page read the answer. */
export function corsHeaders(cors: Cors | undefined, { headers }: Request): Record<string, string> {
  const origins = named(cors);
  if (cors !== true && origins.length === 0) return {};
  const origin = headers.get("origin") ?? "";
  return {
    "access-control-allow-origin": cors === true ? "*" : origins.includes(origin) ? origin : (origins[0] as string),
    "access-control-allow-methods": "GET, POST, PATCH, DELETE, OPTIONS",
    "access-control-expose-headers": "content-location, location",
    ...(cors !== true && { "access-control-allow-credentials": "true", vary: "Origin" }),
  };
}

/**
 * Checks where a request comes from. A request without an `Origin` does not come from a page of another origin.
 *
 * @throws {@link Refusal} 403 for a page of another origin that `cors` does not let in, or not with cookies; 415 for a
 *   body of one that is not JSON: a browser sends other bodies without asking the server first.
 */
export function checkOrigin(request: Request, cors: Cors | undefined): void {
  const { headers } = request;
  const origin = headers.get("origin");
  if (origin === null || isOwn(origin, request)) return;
  if (!named(cors).includes(origin)) {
    if (cors !== true) throw new Refusal(403, `Pages of ${origin} may not call: the option cors lets in origins.`);
    if (headers.has("cookie"))
      throw new Refusal(
        403,
        `Pages of ${origin} may not call with cookies, unless the option cors names their origin.`,
      );
  }
  const type = headers.get("content-type");
  const isJson = /^application\/([\w.+-]+\+)?json\b/i.test(type ?? "");
  if (!isJson && (type !== null || hasBody(request)))
    throw new Refusal(415, `The content-type should be application/json, and not ${type ?? "missing"}.`);
}

/** Whether it is the server's own origin. A proxy may have changed the host; what browsers say of it, it does not. */
function isOwn(origin: string, { headers, url }: Request): boolean {
  const site = headers.get("sec-fetch-site");
  if (site !== null) return site === "same-origin";
  const host = URL.canParse(origin) ? new URL(origin).host : undefined;
  return [headers.get("x-forwarded-host"), headers.get("host"), new URL(url).host].includes(host as string);
}

const hasBody = ({ body, headers }: Request): boolean => Boolean(body) && headers.get("content-length") !== "0";
