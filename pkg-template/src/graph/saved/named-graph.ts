// Which graph and which checkpoint a config names.
import { saverFor } from "../../checkpoint/langgraph-saver.js";
import { checkCheckpointId } from "../../checkpoint/place.js";
import type { CheckpointConfig, CheckpointSaver } from "../../checkpoint/types.js";
import { GraphValueError } from "../build/graph-errors.js";
import type { AnyGraph } from "../build/graph-spec.js";

/** A graph and its saver; of a graph inside, if the config names its namespace. */
export interface NamedGraph {
  readonly graph: AnyGraph;
  readonly saver: CheckpointSaver;
  /** Where its checkpoints are. */
  readonly config: CheckpointConfig;
}

/** Finds the graph that a config speaks of. `saver` is that of a graph around. */
export function namedGraph(graph: AnyGraph, config: CheckpointConfig, saver?: CheckpointSaver): NamedGraph {
  const own = saver ?? (typeof graph.checkpointer === "object" ? graph.checkpointer : undefined);
  if (!own) throw new GraphValueError("No checkpointer set", { lc_error_code: "MISSING_CHECKPOINTER" });
  checkCheckpointId(config.configurable);
  const ns = (config.configurable?.checkpoint_ns ?? "")
    .split("|")
    .filter((part) => !/^\d+$/.test(part))
    .map((part) => part.split(":")[0])
    .join("|");
  const named = (of: AnyGraph): NamedGraph => ({
    graph: of,
    saver: saverFor(own, of.spec.fields),
    // One that remembers is kept under the names of its nodes alone.
    config:
      of.checkpointer === true ? { ...config, configurable: { ...config.configurable, checkpoint_ns: ns } } : config,
  });
  if (saver || ns === "") return named(graph);
  for (const [name, inside] of graph.getSubgraphs(ns, true)) if (name === ns) return named(inside);
  throw new GraphValueError(`Subgraph "${ns}" not found`);
}

/** Adds to a checkpoint's config where the graphs around it stand. */
export function withParents(config: CheckpointConfig, parents: Record<string, string> | undefined): CheckpointConfig {
  if (!parents || Object.keys(parents).length === 0) return config;
  const { configurable = {} } = config;
  const map = { ...parents, [configurable.checkpoint_ns ?? ""]: configurable.checkpoint_id };
  return { ...config, configurable: { ...configurable, checkpoint_map: map } };
}
