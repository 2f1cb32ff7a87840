// A graph as a drawing: nodes, edges, and mermaid's text as LangGraph writes it.
import { END, START } from "./command.js";
import type { CompileOptions } from "./compile-options.js";
import { type AnyGraph, type GraphParts, isGraph } from "./graph-spec.js";
import type { NodeEntry } from "./node.js";

export interface DrawnNode {
  readonly id: string;
  readonly name: string;
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
  /** The name of the graph that it is, if it is one. */
  readonly graph?: string | undefined;
}

export interface DrawnEdge {
  readonly source: string;
  readonly target: string;
  /** The label, if it differs from the target. */
  readonly data?: string | undefined;
  readonly conditional: boolean;
}

/** The nodes and edges to draw of a graph. */
export interface DrawnGraph {
  readonly nodes: Readonly<Record<string, DrawnNode>>;
  readonly edges: readonly DrawnEdge[];
  /** Returns the text as langgraph.js writes it; `graph.drawMermaid()` writes that of LangGraph for Python. */
  drawMermaid(options?: { withStyles?: boolean; curveStyle?: string }): string;
  /** Returns it as langgraph.js's graphs are serialised. */
  toJSON(): { nodes: object[]; edges: readonly DrawnEdge[] };
}

/** Collects the nodes and edges to draw. */
export function drawnGraph(graph: AnyGraph, xray: boolean | number): DrawnGraph {
  const { spec, options } = graph;
  const { parts } = spec;
  const drawing = new Drawing();
  for (const entry of parts.nodes) {
    const inside = xray ? [entry.action, ...(entry.options.subgraphs ?? [])].find(isGraph) : undefined;
    if (inside) drawing.addInside(entry.name, drawnGraph(inside, typeof xray === "number" ? xray - 1 : xray));
    else drawing.addNode(entry, options);
  }
  addEdges(drawing, parts);
  drawing.addLastEdges();
  return drawnOf(drawing);
}

/** The nodes and edges so far. */
class Drawing {
  readonly nodes: Record<string, DrawnNode> = { [START]: { id: START, name: START } };
  readonly edges: DrawnEdge[] = [];
  /** Where edges to and from a node that is drawn from inside begin and end. */
  readonly #doors = new Map<string, { first: string | undefined; last: string | undefined }>();

  addNode({ name, action, options }: NodeEntry, { interruptBefore, interruptAfter }: CompileOptions): void {
    const stops = [
      ...(interruptBefore?.includes(name) ? ["before"] : []),
      ...(interruptAfter?.includes(name) ? ["after"] : []),
    ];
    const metadata = stops.length > 0 ? { ...options.metadata, __interrupt: stops.join(",") } : options.metadata;
    this.nodes[name] = { id: name, name, metadata, ...(isGraph(action) && { graph: action.name }) };
  }

  /** Adds a node as the graph that it runs. */
  addInside(name: string, inner: DrawnGraph): void {
    const put = (id: string) => `${name}:${id}`;
    // The inner start and end are omitted if just one node follows or precedes them.
    const [start, end] = [only(inner, "target"), only(inner, "source")];
    const [first, last] = [start && only(inner, "target", start), end && only(inner, "source", end)];
    const out = new Set([first && start, last && end]);
    for (const node of Object.values(inner.nodes))
      if (!out.has(node.id)) this.nodes[put(node.id)] = { ...node, id: put(node.id) };
    for (const edge of inner.edges)
      if (!out.has(edge.source) && !out.has(edge.target))
        this.edges.push({ ...edge, source: put(edge.source), target: put(edge.target) });
    const [from, to] = [first ?? start, last ?? end];
    this.#doors.set(name, { first: from && put(from), last: to && put(to) });
  }

  addEdge(from: string, to: string, conditional: boolean, data?: string): void {
    const source = this.#doors.has(from) ? this.#doors.get(from)?.last : from;
    const target = this.#doors.has(to) ? this.#doors.get(to)?.first : to;
    if (!source || !target) return;
    if (target === END) this.nodes[END] ??= { id: END, name: END };
    this.edges.push({ source, target, conditional, ...(data !== undefined && data !== to && { data }) });
  }

  /** A node that an edge leads to and that leads nowhere is an end. */
  addLastEdges(): void {
    const { edges } = this;
    const sources = new Set(edges.map(({ source }) => source));
    const reached = new Set(
      edges.filter(({ conditional, target }) => !conditional && target !== END).map((edge) => edge.target),
    );
    for (const name of [...reached].sort()) if (!sources.has(name)) this.addEdge(name, END, false);
  }
}

/** Adds a graph's edges: the plain ones, those of conditions, and those that its nodes declare. */
function addEdges(drawing: Drawing, { nodes, edges, branches }: GraphParts): void {
  const plain = edges.flatMap(([from, to]) => [from].flat().map((one) => [one, to] as const));
  for (const [from, to] of plain.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))) drawing.addEdge(from, to, false);
  for (const [from, ways] of Object.entries(branches)) {
    const others = nodes.filter(({ name, handles }) => name !== from && !handles).map(({ name }) => name);
    const anywhere = Object.fromEntries([...others, END].map((name) => [name, name]));
    for (const { ends = anywhere } of Object.values(ways))
      for (const [label, to] of Object.entries(ends)) drawing.addEdge(from, to, true, label);
  }
  for (const { name, options } of nodes) {
    const { ends = [] } = options;
    if (Array.isArray(ends)) for (const to of ends as readonly string[]) drawing.addEdge(name, to, true);
    else for (const [to, label] of Object.entries(ends)) drawing.addEdge(name, to, true, label);
  }
}

function drawnOf({ nodes, edges }: Drawing): DrawnGraph {
  const drawn: DrawnGraph = {
    nodes,
    edges,
    drawMermaid: (how) => mermaidOf(drawn, how, true),
    toJSON: () => ({ nodes: Object.values(nodes).map(serialized), edges }),
  };
  return drawn;
}

/** Returns a node as langgraph.js serialises it. */
function serialized({ id, name, metadata = {}, graph: inside }: DrawnNode): object {
  if (id === START || id === END) return { id, type: "schema", data: {} };
  const data = inside
    ? { id: ["langgraph", "pregel", "CompiledStateGraph"], name: inside }
    : { id: ["langgraph", "RunnableCallable"], name };
  return { id, type: "runnable", data, metadata };
}

/** Returns the one node that no edge has on a side, but for those of the node `without`. */
function only({ nodes, edges }: DrawnGraph, side: "source" | "target", without?: string): string | undefined {
  const other = side === "source" ? "target" : "source";
  const has = new Set(edges.flatMap((edge) => (edge[other] === without ? [] : [edge[side]])));
  const found = Object.keys(nodes).filter((id) => id !== without && !has.has(id));
  return found.length === 1 ? found[0] : undefined;
}

type Escape = (id: string) => string;

const escaped: Escape = (id) =>
  id.replace(/[^a-zA-Z0-9_-]/gu, (character) => `\\${character.codePointAt(0)?.toString(16)}`);
const underscored: Escape = (id) => id.replace(/[^\w-]/g, "_");

/** Writes mermaid's text. langgraph.js has all nodes first, and graphs inside before the edges around them. */
export function mermaidOf(
  graph: DrawnGraph,
  { withStyles = true, curveStyle = "linear" }: { withStyles?: boolean; curveStyle?: string } = {},
  js = false,
): string {
  const { nodes, edges } = graph;
  const [first, last] = [only(graph, "target"), only(graph, "source")];
  const lines: string[] = [];
  const put = js ? underscored : escaped;
  if (withStyles && js) lines.push(`%%{init: {'flowchart': {'curve': '${curveStyle}'}}}%%`);
  else if (withStyles) lines.push("---", "config:", "  flowchart:", `    curve: ${curveStyle}`, "---");
  lines.push("graph TD;");
  const groups = new Map<string, DrawnEdge[]>();
  for (const edge of edges) {
    const [from, to] = [edge.source.split(":"), edge.target.split(":")];
    let at = 0;
    while (at < from.length - 1 && at < to.length - 1 && from[at] === to[at]) at++;
    const key = from.slice(0, at).join(":");
    const group = groups.get(key);
    if (group) group.push(edge);
    else groups.set(key, [edge]);
  }
  const draw = (prefix: string): void => {
    const start = prefix && `${prefix}:`;
    const rest = ({ id }: DrawnNode) => id.slice(start.length).split(":");
    const within = Object.values(nodes).filter(({ id }) => id.startsWith(start));
    const inside = () =>
      new Set(within.flatMap((node) => rest(node).slice(0, -1)[0] ?? [])).forEach((name) => draw(start + name));
    if (prefix) lines.push(`\tsubgraph ${prefix.split(":").at(-1)}`);
    if (withStyles)
      for (const node of within)
        if (js ? !prefix : rest(node).length === 1) lines.push(`\t${boxOf(node, put, first, last)}`);
    if (js && prefix) inside();
    for (const edge of groups.get(prefix) ?? []) lines.push(`\t${arrowOf(edge, put)}`);
    if (!js || !prefix) inside();
    if (prefix) lines.push("\tend");
  };
  draw("");
  if (withStyles)
    lines.push(
      "\tclassDef default fill:#f2f0ff,line-height:1.2;",
      "\tclassDef first fill-opacity:0;",
      "\tclassDef last fill:#bfb6fc;",
    );
  return `${lines.join("\n")}\n`;
}

function boxOf({ id, name, metadata }: DrawnNode, put: Escape, first?: string, last?: string): string {
  const shown = Object.entries(metadata ?? {}).map(([key, value]) => `${key} = ${String(value)}`);
  const label = /^[*_`].*[*_`]$/s.test(name) ? `<p>${name}</p>` : name;
  const text = shown.length > 0 ? `${label}<hr/><small><em>${shown.join("\n")}</em></small>` : label;
  const end = id === last ? ":::last" : id === first ? ":::first" : "";
  return `${put(id)}(${end ? `[${text}]` : text})${end}`;
}

function arrowOf({ source, target, data, conditional }: DrawnEdge, put: Escape): string {
  const label = data === undefined ? "" : ` &nbsp;${data}&nbsp; `;
  const arrow = conditional ? (label ? `-.${label}.->` : "-.->") : label ? `--${label}-->` : "-->";
  return `${put(source)} ${arrow} ${put(target)};`;
}
