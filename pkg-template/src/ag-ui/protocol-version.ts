/** The version of AG-UI that both sides declare: a run's input and its RUN_STARTED. */
export const PROTOCOL_VERSION = "1.0";
