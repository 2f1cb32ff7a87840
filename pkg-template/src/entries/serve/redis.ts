// "threadfold/serve/redis": the runs of `serveAgUi` and `serveLangGraph` in Redis, for several instances.
export type { IoRedisClient, NodeRedisClient, RedisClient } from "../../serve/redis/client.js";
export { RedisRuns, type RedisRunsOptions } from "../../serve/redis/redis-runs.js";
