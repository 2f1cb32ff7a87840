// A graph's mermaid text as boxes and lines: enough of the language for the output of `drawMermaid()`.

export interface DrawnNode {
  readonly id: string;
  readonly label: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
}

export interface DrawnEdge {
  readonly from: string;
  readonly to: string;
  readonly isConditional: boolean;
  readonly path: string;
}

export interface Drawing {
  readonly width: number;
  readonly height: number;
  readonly nodes: readonly DrawnNode[];
  readonly edges: readonly DrawnEdge[];
}

interface Edge {
  readonly from: string;
  readonly to: string;
  readonly isConditional: boolean;
}

const HEIGHT = 34;
const ROW = 74;
const GAP = 22;

const text = (label: string) =>
  label
    .replace(/<hr\/>.*/s, "")
    .replace(/<[^>]+>/g, "")
    .replaceAll("__", "")
    .trim();

/** The nodes in their order, by their ids, and the edges. */
export function readMermaid(mermaid: string): { labels: Map<string, string>; edges: Edge[] } {
  const labels = new Map<string, string>();
  const edges: Edge[] = [];
  for (const line of mermaid.split("\n").map((one) => one.trim())) {
    const edge = /^(\S+)\s+(?:-->|-\.->|--.*?-->|-\..*?\.->)\s+(\S+?);?$/.exec(line);
    const node = /^([\w\\]+)[([]+(.*?)[)\]]+(?::::?\w+)?;?$/.exec(line);
    if (edge) edges.push({ from: edge[1] ?? "", to: edge[2] ?? "", isConditional: line.includes("-.") });
    else if (node && !line.startsWith("classDef")) labels.set(node[1] ?? "", text(node[2] ?? ""));
  }
  return { labels, edges };
}

/** Places the nodes in rows, each below its predecessors; an edge that goes back runs upwards. */
export function layOut(mermaid: string): Drawing {
  const { labels, edges } = readMermaid(mermaid);
  const ids = [...labels.keys()];
  const isBack = backEdges(ids, edges);
  const forward = edges.map((edge) => (isBack.has(edge) ? { from: edge.to, to: edge.from } : edge));
  const rank = ranks(ids, forward);
  const rows: string[][] = [];
  const put = (id: string, row: number) => (rows[row] ??= []).push(id);
  for (const id of ids) put(id, rank.get(id) ?? 0);
  // An edge over several rows passes each of them at a place of its own.
  const ways = forward.map(({ from, to }, at) => {
    const [top = 0, bottom = 0] = [rank.get(from), rank.get(to)];
    const between = Array.from({ length: Math.max(0, bottom - top - 1) }, (_, step) => `${at}~${step}`);
    for (const [step, id] of between.entries()) put(id, top + 1 + step);
    return [from, ...between, to];
  });
  const widthOf = (id: string) => (labels.has(id) ? Math.max(64, (labels.get(id) ?? "").length * 8.2 + 28) : 26);
  const x = columns(rows, ways, widthOf);
  const rowOf = new Map(rows.flatMap((row, at) => row.map((id) => [id, at] as const)));
  const point = (id: string) => ({ x: x.get(id) ?? 0, y: (rowOf.get(id) ?? 0) * ROW + HEIGHT / 2 + 4 });
  const right = Math.max(...[...x].map(([id, at]) => at + widthOf(id) / 2));
  const left = Math.min(...[...x].map(([id, at]) => at - widthOf(id) / 2));
  const shift = 6 - left;
  return {
    width: right - left + 12,
    height: (rows.length - 1) * ROW + HEIGHT + 8,
    nodes: ids.map((id) => ({
      id,
      label: labels.get(id) ?? id,
      x: point(id).x + shift,
      y: point(id).y,
      width: widthOf(id),
    })),
    edges: edges.map((edge, at) => {
      const way = ways[at] ?? [];
      // Edges of one node leave it at places of their own, each on the side that it goes to.
      const lean = (id: string, to: string | undefined) => {
        const most = widthOf(id) * 0.32;
        return Math.max(-most, Math.min(most, ((x.get(to ?? id) ?? 0) - (x.get(id) ?? 0)) * 0.4));
      };
      const points = way.map((id, place) => {
        const isEnd = place === 0 || place === way.length - 1;
        const leans = isEnd ? lean(id, way[place === 0 ? 1 : place - 1]) : 0;
        return { x: point(id).x + shift + leans, y: point(id).y };
      });
      if (isBack.has(edge)) points.reverse();
      return { ...edge, path: curve(points) };
    }),
  };
}

/** The edges that close a circle, seen from the first node. */
function backEdges(ids: readonly string[], edges: readonly Edge[]): Set<Edge> {
  const found = new Set<Edge>();
  const state = new Map<string, "open" | "done">();
  const visit = (id: string) => {
    state.set(id, "open");
    for (const edge of edges) {
      if (edge.from !== id) continue;
      if (state.get(edge.to) === "open") found.add(edge);
      else if (!state.has(edge.to)) visit(edge.to);
    }
    state.set(id, "done");
  };
  for (const id of ids) if (!state.has(id)) visit(id);
  return found;
}

/** The longest way to each node; the last node is below all others. */
function ranks(ids: readonly string[], edges: readonly { from: string; to: string }[]): Map<string, number> {
  const rank = new Map(ids.map((id) => [id, 0]));
  for (let changed = true; changed;) {
    changed = false;
    for (const { from, to } of edges) {
      const least = (rank.get(from) ?? 0) + 1;
      if (from === to || (rank.get(to) ?? 0) >= least) continue;
      rank.set(to, least);
      changed = true;
    }
  }
  const last = Math.max(...rank.values());
  if (rank.has("__end__")) rank.set("__end__", Math.max(last, rank.get("__end__") ?? 0));
  return rank;
}

/** The horizontal place of each node in a row: near its neighbours in other rows, and apart from those in its own. */
function columns(
  rows: string[][],
  ways: readonly (readonly string[])[],
  widthOf: (id: string) => number,
): Map<string, number> {
  const near = new Map<string, string[]>();
  const connect = (a: string, b: string) => near.set(a, [...(near.get(a) ?? []), b]);
  for (const way of ways)
    for (const [at, id] of way.entries()) {
      const next = way[at + 1];
      if (next === undefined) continue;
      connect(id, next);
      connect(next, id);
    }
  const x = new Map<string, number>();
  const place = (row: readonly string[]) => {
    const total = row.reduce((sum, id) => sum + widthOf(id) + GAP, -GAP);
    let at = -total / 2;
    for (const id of row) {
      x.set(id, at + widthOf(id) / 2);
      at += widthOf(id) + GAP;
    }
  };
  for (const row of rows) place(row);
  for (let round = 0; round < 6; round++)
    for (const row of round % 2 === 0 ? rows : rows.toReversed()) {
      const wish = (id: string) => {
        const others = (near.get(id) ?? []).map((other) => x.get(other) ?? 0);
        return others.reduce((sum, other) => sum + other, 0) / Math.max(1, others.length);
      };
      const wishes = new Map(row.map((id) => [id, wish(id)]));
      row.sort((a, b) => (wishes.get(a) ?? 0) - (wishes.get(b) ?? 0));
      place(row);
    }
  return x;
}

/** A line through points, from the edge of a box to the edge of another. */
function curve(points: readonly { x: number; y: number }[]): string {
  const [first = { x: 0, y: 0 }, ...rest] = points;
  const isDown = (rest.at(-1)?.y ?? 0) >= first.y;
  const side = isDown ? HEIGHT / 2 : -HEIGHT / 2;
  let path = `M ${first.x} ${first.y + side}`;
  let at = { x: first.x, y: first.y + side };
  for (const [index, point] of rest.entries()) {
    const isLast = index === rest.length - 1;
    const to = isLast ? { x: point.x, y: point.y - side - (isDown ? 7 : -7) } : point;
    const middle = (at.y + to.y) / 2;
    path += ` C ${at.x} ${middle} ${to.x} ${middle} ${to.x} ${to.y}`;
    at = to;
  }
  return path;
}
