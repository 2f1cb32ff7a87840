// The user's own pool of connections: as much of `pg` as is used.
import { ThreadfoldError } from "../../shared/errors.js";

/** Runs a statement. */
export interface PostgresQueries {
  query(text: string, values?: unknown[]): Promise<{ rows: Row[] }>;
}

/** A row by the names of its columns. */
export type Row = Record<string, unknown>;

/** A connection that a pool lends. */
export interface PostgresConnection extends PostgresQueries {
  on(event: string, listener: (...args: never[]) => void): unknown;
  release(isBroken?: boolean): void;
}

/** A `Pool` of `pg`. */
export interface PostgresPool extends PostgresQueries {
  readonly options?: { readonly max?: number | undefined };
  connect(): Promise<PostgresConnection>;
}

/** @throws {@link ThreadfoldError} `INVALID_ARGUMENT` for what is not a pool, and for a pool of one connection. */
export function checkPool(given: unknown): void {
  const { query, connect, options } = (given ?? {}) as Partial<PostgresPool>;
  if (typeof query === "function" && typeof connect === "function" && options?.max !== 1) return;
  throw new ThreadfoldError(
    "INVALID_ARGUMENT",
    "new PostgresRuns: expected pool to be a Pool of pg with two connections or more.",
  );
}
