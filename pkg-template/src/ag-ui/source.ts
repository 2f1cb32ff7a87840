import type { Source } from "../stream/source.js";

export type { Observable } from "../stream/source.js";

/** An event as a source gives it: any object with a `type`, such as `@ag-ui/core`'s `Event`. */
export type AnyEvent = { readonly type: string } | { readonly type: string; readonly [field: string]: unknown };

/**
 * Where events may come from: a `fetch` response of server-sent events or its body, an async iterable, a list or an
 * Observable.
 */
export type AgUiSource = Source<AnyEvent>;
