/** The key of a run's `configurable` under which an AG-UI client's tools are. Checkpoints do not have it in their metadata. */
export const PAGE_TOOLS = "__threadfold_page_tools";
