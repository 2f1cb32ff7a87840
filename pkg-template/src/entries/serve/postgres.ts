// "threadfold/serve/postgres": the runs of `serveAgUi` and `serveLangGraph` in Postgres, for several instances.
export type { PostgresConnection, PostgresPool, PostgresQueries } from "../../serve/postgres/client.js";
export { PostgresRuns, type PostgresRunsOptions } from "../../serve/postgres/postgres-runs.js";
