// A Redis and a Postgres of its own for a test, started as the example does it.
import {
  hasPostgres,
  hasRedis,
  startPostgres as postgres,
  startRedis as redis,
} from "../../../examples/many-instances/databases.mjs";

export { hasPostgres, hasRedis };

export interface RedisServer {
  /** The path of its socket. */
  readonly path: string;
  stop(): Promise<void>;
}

export interface Postgres {
  readonly url: string;
  stop(): Promise<void>;
}

export const startRedis: () => Promise<RedisServer> = redis;
export const startPostgres: () => Promise<Postgres> = postgres;
