import type { Schema, StateOf, UpdatesOf } from "../state/schema.js";
import { ThreadfoldError } from "../shared/errors.js";
import { checkOptions, type NamesOf } from "../shared/options.js";
import { END, type Send, START } from "./build/command.js";
import { COMPILE_OPTIONS, type CompileOptions } from "./build/compile-options.js";
import { CompiledStateGraph } from "./compiled-graph.js";
import { handlerOf, SHARED_HANDLER } from "../shared/handler-names.js";
import { UnreachableNodeError } from "./build/graph-errors.js";
import { GraphSpec } from "./build/graph-spec.js";
import {
  type BranchEntry,
  NODE_OPTIONS,
  type NodeDefaults,
  type NodeEntry,
  type NodeLike,
  type NodeOptions,
} from "./build/node.js";
import type { NodeContext } from "./given/node-context.js";
import { checkRetry } from "./build/retry.js";
import { checkTimeout } from "./build/timeout.js";
import { type Declared, declared, declaredFields, isDeclaration, type ZodRegistry } from "./build/state-forms.js";

/** The state of a declaration (a schema's, an `Annotation.Root`'s, a zod object's) or of a compiled graph, as of an agent. */
export type StateFrom<D> =
  D extends Schema<infer F>
    ? StateOf<F>
    : D extends { State: infer State }
      ? State
      : D extends { _zod: { output: infer Output } }
        ? Output
        : D extends CompiledStateGraph<infer State>
          ? State
          : // oxlint-disable-next-line typescript/no-explicit-any -- another form says nothing of its types
            Record<string, any>;

/** The update type of a declaration's or a compiled graph's state. */
export type UpdateFrom<D> =
  D extends Schema<infer F>
    ? UpdatesOf<F>
    : D extends { Update: infer Update }
      ? Update
      : D extends { _zod: { output: infer Output } }
        ? Partial<Output>
        : // oxlint-disable-next-line typescript/no-explicit-any -- of any state
          D extends CompiledStateGraph<any, infer Update>
          ? Update
          : // oxlint-disable-next-line typescript/no-explicit-any -- another form says nothing of its types
            Record<string, any>;

/** The options of a graph besides its state. */
export interface StateGraphOptions {
  /** The schema of the caller's input, if not the whole state. */
  input?: unknown;
  /** The schema of the caller's output, if not the whole state. */
  output?: unknown;
  /** Checks `context`: a zod object. */
  context?: unknown;
  /** langgraph.js's `schemaMetaRegistry`, where the reducers of zod schemas are. */
  registry?: ZodRegistry | undefined;
}

const GRAPH_OPTIONS = Object.keys({
  input: true,
  output: true,
  context: true,
  registry: true,
} satisfies NamesOf<StateGraphOptions>);

/** The validator of `context`, where it is given alone, as in langgraph.js. */
export type ContextForm = { readonly lc_graph_name: string } | { readonly shape: object };

type Destination<Nodes extends string> = Nodes | typeof END | Send;
type Destinations<Nodes extends string> =
  | Destination<Nodes>
  | readonly Destination<Nodes>[]
  // oxlint-disable-next-line typescript/no-explicit-any -- with a path map an answer is a key of it
  | any;

/** A way from a node that is decided when it has run. */
export type Path<State, Context> = (state: State, ctx: NodeContext<State, Context>) => Destinations<string>;

type Sequence<State, Update, Context> =
  | readonly (readonly [string, NodeLike<State, Update, Context>, NodeOptions<State, Update, Context>?])[]
  | Readonly<Record<string, NodeLike<State, Update, Context>>>;

/**
 * Builds a graph of nodes that read a state and answer with updates of it. `compile()` makes it one that runs.
 *
 * The state is a schema of threadfold, or any form that langgraph.js takes: an `Annotation.Root`, a `StateSchema`, a
 * zod object, `{ channels }`. Names and arguments are langgraph.js's.
 *
 * @example
 * ```ts
 * import { defineSchema, field } from "threadfold";
 * import { END, START, StateGraph } from "threadfold/graph";
 *
 * const graph = new StateGraph(defineSchema({ n: field.replace<number>() }))
 *   .addNode("half", ({ n = 0 }) => ({ n: n / 2 }))
 *   .addEdge(START, "half")
 *   .addConditionalEdges("half", ({ n = 0 }) => (n > 1 ? "half" : END))
 *   .compile();
 * console.log((await graph.invoke({ n: 8 })).n); // 1
 * ```
 */
export class StateGraph<
  D = unknown,
  Nodes extends string = typeof START,
  Context = Record<string, unknown>,
  State = StateFrom<D>,
  Update = UpdateFrom<D>,
> {
  /** The nodes by name, in order of insertion. */
  readonly nodes: Record<string, NodeEntry> = {};
  /** The edges, each from a node or, as a list, from all of several. */
  readonly edges: (readonly [from: string | readonly string[], to: string])[] = [];
  readonly branches: Record<string, Record<string, BranchEntry>> = {};
  /**
   * The fields of a declaration, for agents.
   *
   * @internal
   */
  static readonly declaredFields = declaredFields;
  readonly #state: Declared;
  readonly #input: Declared;
  readonly #output: Declared;
  readonly #options: StateGraphOptions;
  #defaults: NodeDefaults = {};
  #compiled = false;

  /** @throws `StateGraphInputError` for what declares no state. */
  constructor(state: D, options: StateGraphOptions | ContextForm = {}) {
    const whole = state as { state?: unknown; stateSchema?: unknown; input?: unknown };
    const inside = isDeclaration(state) ? undefined : (whole?.state ?? whole?.stateSchema ?? whole?.input);
    const given = isDeclaration(inside) ? { ...options, ...(state as object) } : options;
    const isContext = "lc_graph_name" in given || "shape" in given;
    if (!isContext) checkOptions("new StateGraph", options, GRAPH_OPTIONS);
    this.#options = isContext ? { context: given } : (given as StateGraphOptions);
    const { input, output, registry } = this.#options;
    const declaration = isDeclaration(inside) ? inside : state;
    this.#state = declared(declaration, false, registry);
    this.#input = input === undefined || input === null ? this.#state : declared(input, true, registry);
    this.#output = output === undefined || output === null ? this.#state : declared(output, false, registry);
  }

  /** Adds a node: `addNode(name, work, options)`, or several by name. */
  addNode<Name extends string, Input = State>(
    name: Name,
    action: NodeLike<Input, Update, Context, State>,
    options?: NodeOptions<State, Update, Context>,
  ): StateGraph<D, Nodes | Name, Context, State, Update>;
  addNode<Name extends string>(
    nodes:
      | Readonly<Record<Name, NodeLike<State, Update, Context>>>
      | readonly (readonly [Name, NodeLike<State, Update, Context>, NodeOptions<State, Update, Context>?])[],
  ): StateGraph<D, Nodes | Name, Context, State, Update>;
  addNode(given: unknown, action?: unknown, options?: unknown): this {
    const nodes = (
      typeof given === "string"
        ? [[given, action, options]]
        : Array.isArray(given)
          ? given
          : Object.entries(given as object)
    ) as [string, NodeEntry["action"], NodeEntry["options"]?][];
    if (nodes.length === 0) throw invalid("No nodes provided in `addNode`");
    for (const [name, does, more] of nodes) this.#add(name, does, more ?? {});
    return this;
  }

  #add(name: string, action: NodeEntry["action"], options: NodeEntry["options"]): void {
    for (const fields of [this.#state, this.#input, this.#output].map((one) => one.fields)) {
      if (Object.hasOwn(fields, name))
        throw invalid(
          `${name} is already being used as a state attribute (a.k.a. a channel), cannot also be used as a node name.`,
        );
    }
    for (const reserved of ["|", ":"])
      if (name.includes(reserved))
        throw invalid(`"${reserved}" is a reserved character and is not allowed in node names.`);
    this.#warn("a node");
    if (Object.hasOwn(this.nodes, name)) throw invalid(`Node \`${name}\` already present.`);
    if (name === START || name === END || name === "__interrupt__" || name === "__input__" || name in {})
      throw invalid(`Node \`${name}\` is reserved.`);
    if (typeof action !== "function" && typeof (action as { invoke?: unknown } | null)?.invoke !== "function")
      throw invalid(
        `addNode: expected a function, a compiled graph or an object with \`invoke\` for \`${name}\`, got ${kindOf(action)}.`,
      );
    checkOptions("addNode", options, NODE_OPTIONS);
    checkTimeout(`Node \`${name}\``, options.timeout);
    checkRetry(`Node \`${name}\``, options.retryPolicy);
    const { errorHandler } = options;
    const handler = handlerOf(name);
    if (errorHandler) {
      if (Object.hasOwn(this.nodes, handler))
        throw invalid(`Cannot add error handler to node \`${name}\`: the name \`${handler}\` is already in use.`);
      this.nodes[handler] = {
        name: handler,
        action: errorHandler as never,
        options: options.input === undefined ? {} : { input: options.input },
        handles: true,
      };
    }
    this.nodes[name] = errorHandler ? { name, action, options, handler } : { name, action, options };
  }

  /** Adds a way that is always taken. From several nodes, as a list, it is taken when all of them have run. */
  addEdge(from: Nodes | readonly Nodes[], to: Nodes | typeof END): this {
    this.#warn("an edge");
    if (Array.isArray(from)) {
      if (from.length === 0) throw invalid("addEdge: an empty list of nodes starts no edge. Name at least one.");
      for (const start of from as readonly string[]) {
        if (start === END) throw invalid("END cannot be a start node");
        this.#need(start);
      }
      if (to === END) throw invalid("END cannot be an end node");
      this.#need(to);
    } else if ((from as string) === END) throw invalid("END cannot be a start node");
    if ((to as string) === START) throw invalid("START cannot be an end node");
    this.edges.push([from as string | readonly string[], to]);
    return this;
  }

  #need(name: string): void {
    if (!Object.hasOwn(this.nodes, name)) throw missing(`Need to add a node named "${name}" first`);
  }

  /**
   * Adds edges that are decided when a node has run. `path` reads the state with that node's updates and returns a
   * node, END, a `Send`, or a list of them. An empty list leads nowhere; anything else fails the run. `pathMap` maps each result to a
   * node, or lists the possible nodes: the drawing shows them.
   */
  addConditionalEdges(
    from:
      | Nodes
      | { source: Nodes; path: Path<State, Context>; pathMap?: Readonly<Record<string, string>> | readonly string[] },
    path?: Path<State, Context> | { invoke: unknown },
    pathMap?: Readonly<Record<string, string>> | readonly string[],
  ): this {
    this.#warn("an edge");
    const given = typeof from === "object" ? from : { source: from, path, pathMap };
    const decide = given.path as BranchEntry["path"] | { invoke: BranchEntry["path"] };
    if (typeof decide !== "function" && typeof (decide as { invoke?: unknown } | null)?.invoke !== "function")
      throw invalid(
        `addConditionalEdges: expected a function as the path from \`${given.source}\`, got ${kindOf(decide)}.`,
      );
    const call: BranchEntry["path"] =
      typeof decide === "function" ? decide : (state, ctx): unknown => decide.invoke(state, ctx);
    const branches = (this.branches[given.source] ??= {});
    const own = typeof decide === "function" ? decide.name : "";
    if (own && branches[own]) throw invalid(`Condition \`${own}\` already present for node \`${given.source}\``);
    const unnamed = Object.keys(branches).length;
    const name = own || (unnamed ? `condition${unnamed}` : "condition");
    const { pathMap: map } = given;
    const ends = Array.isArray(map)
      ? Object.fromEntries((map as readonly string[]).map((end) => [end, end]))
      : (map as Readonly<Record<string, string>> | undefined);
    branches[name] = { name, path: call, ends };
    return this;
  }

  /** Adds nodes, each with an edge to the next. */
  addSequence<Name extends string = never>(
    nodes: Sequence<State, Update, Context> | Readonly<Record<Name, NodeLike<State, Update, Context>>>,
  ): StateGraph<D, Nodes | Name | string, Context, State, Update> {
    const list = (Array.isArray(nodes) ? nodes : Object.entries(nodes)) as [string, NodeEntry["action"], never?][];
    if (list.length === 0) throw invalid("Sequence requires at least one node.");
    let last: string | undefined;
    for (const [name, action, options] of list) {
      if (Object.hasOwn(this.nodes, name))
        throw invalid(`Node names must be unique: node with the name "${name}" already exists.`);
      this.#add(name, action, options ?? {});
      if (last !== undefined) this.edges.push([last, name]);
      last = name;
    }
    return this as never;
  }

  /** Sets policies for all nodes of this graph that have none of their own, whenever they are added. */
  setNodeDefaults(defaults: NodeDefaults): this {
    checkOptions("setNodeDefaults", defaults, ["retryPolicy", "timeout", "errorHandler"]);
    checkTimeout("setNodeDefaults", defaults.timeout);
    checkRetry("setNodeDefaults", defaults.retryPolicy);
    this.#defaults = { ...this.#defaults, ...defaults };
    return this;
  }

  /** The same as `addEdge(START, name)`. */
  setEntryPoint(name: Nodes): this {
    return this.addEdge(START as Nodes, name);
  }

  /** The same as `addEdge(name, END)`. */
  setFinishPoint(name: Nodes): this {
    return this.addEdge(name, END);
  }

  /**
   * Makes a graph that runs. Later additions are not in it.
   *
   * @throws `UnreachableNodeError` for a node that nothing leads to, and an error for an edge from or to a node
   *   that is not there.
   */
  compile(options: CompileOptions = {}): CompiledStateGraph<State, Update, Context> {
    checkOptions("compile", options, COMPILE_OPTIONS);
    const { interruptBefore, interruptAfter } = options;
    const stops = [interruptBefore, interruptAfter].flatMap((names) => (Array.isArray(names) ? names : []));
    this.#validate(stops as string[]);
    this.#compiled = true;
    const spec = new GraphSpec({
      nodes: this.#nodesWithDefaults(),
      edges: this.edges,
      branches: this.branches,
      state: this.#state,
      input: this.#input,
      output: this.#output,
      context: this.#options.context,
      ...(this.#options.registry && { registry: this.#options.registry }),
    });
    return new CompiledStateGraph<State, Update, Context>(spec, options);
  }

  /** The nodes with the policies of the graph, and the handler that all without one share. */
  #nodesWithDefaults(): NodeEntry[] {
    const { errorHandler, ...defaults } = this.#defaults;
    const nodes = Object.values(this.nodes).map((entry): NodeEntry => {
      const { retryPolicy = defaults.retryPolicy, timeout = defaults.timeout } = entry.options;
      const takesShared = errorHandler !== undefined && entry.handler === undefined && !entry.handles;
      return {
        ...entry,
        options: { ...entry.options, retryPolicy, timeout },
        ...(takesShared && { handler: SHARED_HANDLER }),
      };
    });
    if (!errorHandler) return nodes;
    if (Object.hasOwn(this.nodes, SHARED_HANDLER))
      throw invalid(`Cannot apply a default error handler: the node name \`${SHARED_HANDLER}\` is already in use.`);
    return [...nodes, { name: SHARED_HANDLER, action: errorHandler as never, options: {}, handles: true }];
  }

  #validate(stops: readonly string[]): void {
    const { nodes, edges, branches } = this;
    const known = (name: string) => Object.hasOwn(nodes, name);
    for (const source of [...edges.flatMap(([from]) => from), ...Object.keys(branches)])
      if (source !== START && !known(source)) throw missing(`Found edge starting at unknown node \`${source}\``);
    const targets = new Set(edges.map(([, to]) => to));
    /** Where ways begin that may lead to any other node. */
    const open = new Set<string>();
    for (const [from, ways] of Object.entries(branches)) {
      for (const { ends } of Object.values(ways))
        if (ends) for (const end of Object.values(ends)) targets.add(end);
        else open.add(from);
    }
    const isReached = (name: string) => targets.has(name) || open.size > Number(open.has(name));
    for (const { options } of Object.values(nodes)) {
      const { ends = [] } = options;
      for (const end of Array.isArray(ends) ? (ends as readonly string[]) : Object.keys(ends)) targets.add(end);
    }
    const anyHandler = Object.values(nodes).some(({ handles }) => handles);
    for (const { name, handles } of Object.values(nodes))
      if (!handles && !anyHandler && !isReached(name))
        throw new UnreachableNodeError(
          `Node \`${name}\` is not reachable.\n\nIf you are returning Command objects from your node,\n` +
            'make sure you are passing names of potential destination nodes as an "ends" array\n' +
            'into ".addNode(..., { ends: ["node1", "node2"] })".',
          { lc_error_code: "UNREACHABLE_NODE" },
        );
    for (const target of targets)
      if (target !== END && !known(target)) throw missing(`Found edge ending at unknown node \`${target}\``);
    for (const name of stops) if (!known(name)) throw invalid(`Interrupt node \`${name}\` is not present`);
  }

  #warn(what: string): void {
    if (this.#compiled)
      console.warn(`Adding ${what} to a graph that has already been compiled. The compiled graph does not have it.`);
  }
}

const invalid = (message: string) => new ThreadfoldError("INVALID_ARGUMENT", message);
/** The error for a call that comes before the node it needs. */
const missing = (message: string) => new ThreadfoldError("INVALID_STATE", message);
const kindOf = (value: unknown) => (value === null ? "null" : typeof value);
