// The stream mode `checkpoints`: where a run stands, as langgraph.js shows it.
import { withParents } from "../saved/named-graph.js";
import { savedTask, writesByTask } from "../saved/saved-writes.js";
import type { StepTask } from "../task/task-writes.js";
import type { RunParts } from "./run-parts.js";

export function reportCheckpoint({ at, scope, saves, reports }: RunParts, tasks: readonly StepTask[]): void {
  const { thread, metadata } = saves;
  if (!thread || !reports.wants("checkpoints")) return;
  const { parentConfig: parent } = thread;
  const inside = scope.inside?.place;
  const { tags = [], runName = inside?.name } = scope.config;
  const byTask = writesByTask(at.pending);
  // With durability "exit" the checkpoint of the moment is not saved yet.
  const id = thread.durability === "exit" ? saves.loadedId : saves.checkpointId;
  const around = {
    tags,
    metadata: { ...scope.callersMetadata, ...inside?.metadata },
    recursion_limit: scope.recursionLimit,
    ...(runName && { run_name: runName }),
  };
  reports.emit("checkpoints", {
    config: { ...around, ...withParents(thread.config(id), metadata.parents) },
    values: { ...at.state },
    metadata,
    next: tasks.map(({ place }) => place.name),
    tasks: tasks.map(({ place }) => {
      const state = place.node.inside && { configurable: { thread_id: scope.threadId, checkpoint_ns: place.ns } };
      return savedTask(place, byTask.get(place.id) ?? [], at.spec.fields.numbers, { state });
    }),
    ...(parent && {
      parentConfig: { ...(thread.hasPut && around), ...withParents(parent, metadata.parents) },
    }),
  });
}
