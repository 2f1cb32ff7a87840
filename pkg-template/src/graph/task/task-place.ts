// A task as it is planned: its node, the node's input, and LangGraph's names for it.
import type { GraphNode } from "../build/graph-spec.js";
import type { PlannedTask } from "../planner/plan-types.js";
import { picked } from "../build/state-fields.js";
import { uuid5 } from "../ids/ids.js";
import type { StepState } from "./step-state.js";

/** The thread that a task runs on, and the step's other tasks. */
export interface TaskHome {
  readonly ns: string;
  /** The id of the checkpoint that the tasks come after. */
  readonly checkpointId: string;
  readonly at: StepState;
  readonly tasks: readonly { readonly place: TaskPlace }[];
}

export class TaskPlace {
  readonly home: TaskHome;
  readonly node: GraphNode;
  /** Its index among the tasks of the step. */
  readonly position: number;
  readonly planned: PlannedTask;
  #id: string | undefined;
  #input: unknown;

  constructor(home: TaskHome, planned: PlannedTask, position: number) {
    this.home = home;
    this.planned = planned;
    this.position = position;
    this.node = home.at.spec.nodes[planned.node] as GraphNode;
  }

  /** The node's input. */
  get input(): unknown {
    return (this.#input ??= this.#read());
  }

  #read(): unknown {
    const { node, planned } = this;
    const { at, tasks } = this.home;
    if (planned.send >= 0) return at.sends[planned.send]?.args;
    if (planned.send < -1) return tasks[-2 - planned.send]?.place.input;
    if (node.isStart) return at.held.get(at.spec.plan.start);
    return node.reads ? picked(at.state, node.reads) : { ...at.state };
  }

  get name(): string {
    return this.node.name;
  }

  get isHidden(): boolean {
    return this.node.isStart;
  }

  /** The names of its triggers, as streams and ids have them. */
  get triggers(): string[] {
    const { send, trigger } = this.planned;
    return send === -1 ? [this.home.at.spec.channels[trigger] as string] : ["__pregel_push"];
  }

  get path(): readonly unknown[] {
    const { send } = this.planned;
    if (send === -1) return ["__pregel_pull", this.name];
    if (send >= 0) return ["__pregel_push", send, false];
    return ["__pregel_push", this.home.tasks[-2 - send]?.place.name, this.name, false];
  }

  /** LangGraph's id of the task: the same whenever it is planned after the same checkpoint. */
  get id(): string {
    return (this.#id ??= this.#makeId());
  }

  #makeId(): string {
    const { home, name, planned } = this;
    const rest =
      planned.send === -1
        ? ["__pregel_pull", this.triggers]
        : planned.send >= 0
          ? ["__pregel_push", String(planned.send)]
          : ["__pregel_push", "node_error_handler", home.tasks[-2 - planned.send]?.place.id];
    const where = home.ns ? `${home.ns}|${name}` : name;
    return uuid5(JSON.stringify([where, String(home.at.stepNumber), name, ...rest]), home.checkpointId);
  }

  /** langgraph.js's metadata of where something runs. */
  get metadata(): Record<string, unknown> {
    const { home, name, triggers, path, ns } = this;
    return {
      langgraph_step: home.at.stepNumber,
      langgraph_node: name,
      langgraph_triggers: triggers,
      langgraph_path: path,
      langgraph_checkpoint_ns: ns,
      checkpoint_ns: ns,
    };
  }

  /** The namespace of the checkpoints of a graph that runs inside. */
  get ns(): string {
    const { home, name } = this;
    return `${home.ns ? `${home.ns}|` : ""}${name}:${this.id}`;
  }
}
