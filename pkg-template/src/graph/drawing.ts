// A graph as a drawing: nodes, edges, and mermaid's text as LangGraph writes it.
import { END, START } from "./command.js";
import type { CompiledStateGraph } from "./compiled-graph.js";
import { isCompiledGraph } from "./is-compiled-graph.js";

export interface DrawnNode {
  readonly id: string;
  readonly name: string;
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
}

export interface DrawnEdge {
  readonly source: string;
  readonly target: string;
  /** What is written on it, if it is not where it leads. */
  readonly data?: string | undefined;
  readonly conditional: boolean;
}

/** What there is to draw of a graph. */
export interface DrawnGraph {
  readonly nodes: Readonly<Record<string, DrawnNode>>;
  readonly edges: readonly DrawnEdge[];
  drawMermaid(options?: { withStyles?: boolean; curveStyle?: string }): string;
}

/** Collects what there is to draw. */
export function drawnGraph(graph: CompiledStateGraph, xray: boolean | number): DrawnGraph {
  const { spec, options } = graph;
  const { parts } = spec;
  const nodes: Record<string, DrawnNode> = { [START]: { id: START, name: START } };
  const edges: DrawnEdge[] = [];
  /** Where edges to and from a node that is drawn from inside begin and end. */
  const doors = new Map<string, { first: string; last: string }>();
  for (const { name, action, options: own } of parts.nodes) {
    const stops = [
      ...(options.interruptBefore?.includes(name) ? ["before"] : []),
      ...(options.interruptAfter?.includes(name) ? ["after"] : []),
    ];
    const metadata = stops.length > 0 ? { ...own.metadata, __interrupt: stops.join(",") } : own.metadata;
    const inside = xray ? [action, ...(own.subgraphs ?? [])].find(isCompiledGraph) : undefined;
    if (!inside) {
      nodes[name] = { id: name, name, metadata };
      continue;
    }
    const inner = drawnGraph(inside, typeof xray === "number" ? xray - 1 : xray);
    const put = (id: string) => `${name}:${id}`;
    for (const node of Object.values(inner.nodes))
      if (node.id !== START && node.id !== END) nodes[put(node.id)] = { ...node, id: put(node.id) };
    for (const edge of inner.edges)
      if (edge.source !== START && edge.target !== END)
        edges.push({ ...edge, source: put(edge.source), target: put(edge.target) });
    const first = inner.edges.find(({ source }) => source === START)?.target ?? "";
    const last = inner.edges.find(({ target }) => target === END)?.source ?? first;
    doors.set(name, { first: put(first), last: put(last) });
  }
  const add = (from: string, to: string, conditional: boolean, data?: string) => {
    const source = doors.get(from)?.last ?? from;
    const target = doors.get(to)?.first ?? to;
    if (target === END) nodes[END] ??= { id: END, name: END };
    edges.push({ source, target, conditional, ...(data !== undefined && data !== to && { data }) });
  };
  const plain = parts.edges.flatMap(([from, to]) => [from].flat().map((one) => [one, to] as const));
  for (const [from, to] of plain.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))) add(from, to, false);
  for (const [from, ways] of Object.entries(parts.branches)) {
    const anywhere = Object.fromEntries(
      [...parts.nodes.filter(({ name, handles }) => name !== from && !handles).map(({ name }) => name), END].map(
        (name) => [name, name],
      ),
    );
    for (const { ends = anywhere } of Object.values(ways))
      for (const [label, to] of Object.entries(ends)) add(from, to, true, label);
  }
  for (const { name, options: own } of parts.nodes) {
    const { ends = [] } = own;
    if (Array.isArray(ends)) for (const to of ends as readonly string[]) add(name, to, true);
    else for (const [to, label] of Object.entries(ends)) add(name, to, true, label);
  }
  // A node that an edge leads to and that leads nowhere is an end.
  const sources = new Set(edges.map(({ source }) => source));
  const reached = new Set(
    edges.filter(({ conditional, target }) => !conditional && target !== END).map((edge) => edge.target),
  );
  for (const name of [...reached].sort()) if (!sources.has(name)) add(name, END, false);
  const drawn: DrawnGraph = { nodes, edges, drawMermaid: (how) => mermaidOf(drawn, how) };
  return drawn;
}

const escaped = (id: string): string =>
  id.replace(/[^a-zA-Z0-9_-]/gu, (character) => `\\${character.codePointAt(0)?.toString(16)}`);

/** Writes mermaid's text. */
export function mermaidOf(graph: DrawnGraph, options: { withStyles?: boolean; curveStyle?: string } = {}): string {
  const { withStyles = true, curveStyle = "linear" } = options;
  const lines: string[] = [];
  if (withStyles) lines.push("---", "config:", "  flowchart:", `    curve: ${curveStyle}`, "---");
  lines.push("graph TD;");
  if (withStyles)
    for (const node of Object.values(graph.nodes)) if (!node.id.includes(":")) lines.push(`\t${boxOf(node)}`);
  const groups = new Map<string, DrawnEdge[]>();
  for (const edge of graph.edges) {
    const [from, to] = [edge.source.split(":").slice(0, -1), edge.target.split(":").slice(0, -1)];
    const shared = from.filter((_, at) => to.slice(0, at + 1).join(":") === from.slice(0, at + 1).join(":"));
    const key = shared.join(":");
    groups.set(key, [...(groups.get(key) ?? []), edge]);
  }
  for (const edge of groups.get("") ?? []) lines.push(`\t${arrowOf(edge)}`);
  const inner = new Set(Object.keys(graph.nodes).flatMap((id) => prefixes(id)));
  for (const prefix of inner)
    if (!prefix.includes(":")) lines.push(...groupOf(graph, groups, inner, prefix, withStyles));
  if (withStyles)
    lines.push(
      "\tclassDef default fill:#f2f0ff,line-height:1.2;",
      "\tclassDef first fill-opacity:0;",
      "\tclassDef last fill:#bfb6fc;",
    );
  return `${lines.join("\n")}\n`;
}

const prefixes = (id: string): string[] =>
  id
    .split(":")
    .slice(0, -1)
    .map((_, at, all) => all.slice(0, at + 1).join(":"));

function groupOf(
  graph: DrawnGraph,
  groups: ReadonlyMap<string, readonly DrawnEdge[]>,
  inner: ReadonlySet<string>,
  prefix: string,
  withStyles: boolean,
): string[] {
  const lines = [`\tsubgraph ${prefix.split(":").at(-1)}`];
  const depth = prefix.split(":").length;
  if (withStyles)
    for (const node of Object.values(graph.nodes))
      if (node.id.startsWith(`${prefix}:`) && node.id.split(":").length === depth + 1) lines.push(`\t${boxOf(node)}`);
  for (const edge of groups.get(prefix) ?? []) lines.push(`\t${arrowOf(edge)}`);
  for (const one of inner)
    if (one.startsWith(`${prefix}:`) && one.split(":").length === depth + 1)
      lines.push(...groupOf(graph, groups, inner, one, withStyles));
  return [...lines, "\tend"];
}

function boxOf({ id, name, metadata }: DrawnNode): string {
  const shown = Object.entries(metadata ?? {}).map(([key, value]) => `${key} = ${String(value)}`);
  const label = /^[*_`].*[*_`]$/s.test(name) ? `<p>${name}</p>` : name;
  const text = shown.length > 0 ? `${label}<hr/><small><em>${shown.join("\n")}</em></small>` : label;
  if (id === START) return `${escaped(id)}([${text}]):::first`;
  if (id === END) return `${escaped(id)}([${text}]):::last`;
  return `${escaped(id)}(${text})`;
}

function arrowOf({ source, target, data, conditional }: DrawnEdge): string {
  const label = data === undefined ? "" : ` &nbsp;${data}&nbsp; `;
  const arrow = conditional ? (label ? `-.${label}.->` : "-.->") : label ? `--${label}-->` : "-->";
  return `${escaped(source)} ${arrow} ${escaped(target)};`;
}
