// A task as it is planned: its node, what the node is given, and LangGraph's names of it.
import type { Send } from "../build/command.js";
import type { GraphNode } from "../build/graph-spec.js";
import { uuid5 } from "../ids/ids.js";
import type { PlannedTask } from "../build/planner.js";
import type { Run } from "./run.js";
import { picked, type Values } from "../build/state-fields.js";
import type { Task } from "./task.js";

/** What a task reads of the thread that it runs on. */
export interface TaskHome {
  readonly spec: Run["spec"];
  readonly ns: string;
  readonly stepNumber: number;
  readonly checkpointId: string;
  readonly state: Values;
  readonly sends: readonly Send[];
  readonly held: ReadonlyMap<number, unknown>;
  readonly tasks: readonly Task[];
  readonly known: Run["known"] | undefined;
}

/** A task that knows where it runs. */
export class TaskPlace {
  readonly run: Run;
  readonly node: GraphNode;
  /** Its place among the tasks of the step. */
  readonly position: number;
  readonly planned: PlannedTask;
  #id: string | undefined;
  #input: unknown;

  /** Without a run it is only looked at, and what it would write is asked for. */
  constructor(home: Run | TaskHome, planned: PlannedTask, position: number) {
    const run = home as Run;
    this.run = run;
    this.planned = planned;
    this.position = position;
    this.node = run.spec.nodes[planned.node] as GraphNode;
  }

  /** What the node is given. */
  get input(): unknown {
    return (this.#input ??= this.#read());
  }

  #read(): unknown {
    const { run, node, planned } = this;
    if (planned.send >= 0) return run.sends[planned.send]?.args;
    if (planned.send < -1) return run.tasks[-2 - planned.send]?.input;
    if (node.number === run.spec.start) return run.held.get(run.spec.plan.start);
    return node.reads ? picked(run.state, node.reads) : { ...run.state };
  }

  get name(): string {
    return this.node.name;
  }

  get hidden(): boolean {
    return this.node.number === this.run.spec.start;
  }

  /** The names of what triggered it, as streams and ids have them. */
  get triggers(): string[] {
    const [first] = this.planned.triggers;
    return this.planned.send === -1 ? [this.run.spec.channels[first as number] as string] : ["__pregel_push"];
  }

  get path(): readonly unknown[] {
    const { send } = this.planned;
    if (send === -1) return ["__pregel_pull", this.name];
    if (send >= 0) return ["__pregel_push", send, false];
    return ["__pregel_push", this.run.tasks[-2 - send]?.name, this.name, false];
  }

  /** LangGraph's id of the task: the same whenever it is planned behind the same checkpoint. */
  get id(): string {
    return (this.#id ??= this.#makeId());
  }

  #makeId(): string {
    const { run, name, planned } = this;
    const behind =
      planned.send === -1
        ? ["__pregel_pull", this.triggers]
        : planned.send >= 0
          ? ["__pregel_push", String(planned.send)]
          : ["__pregel_push", "node_error_handler", run.tasks[-2 - planned.send]?.id];
    const where = run.ns ? `${run.ns}|${name}` : name;
    return uuid5(JSON.stringify([where, String(run.stepNumber), name, ...behind]), run.checkpointId);
  }

  /** What langgraph.js says of where something runs. */
  get metadata(): Record<string, unknown> {
    const { run, name, triggers, path, ns } = this;
    return {
      langgraph_step: run.stepNumber,
      langgraph_node: name,
      langgraph_triggers: triggers,
      langgraph_path: path,
      langgraph_checkpoint_ns: ns,
      checkpoint_ns: ns,
    };
  }

  /** The namespace of the checkpoints of a graph that runs inside. */
  get ns(): string {
    const { run, name } = this;
    return `${run.ns ? `${run.ns}|` : ""}${name}:${this.id}`;
  }
}
