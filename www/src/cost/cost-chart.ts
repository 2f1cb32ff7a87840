// The chart of a token's cost on this machine: log against log, drawn as the points arrive, and as a table.
import type { Report, Way } from "./cost-worker";
import { element, setText, svgElement } from "../dom";

const SIZES = [100, 300, 1_000, 3_000, 10_000];
const WAYS: readonly Way[] = ["@ag-ui/client", "threadfold"];
const HEIGHT = 340;
const EDGE = { left: 62, right: 22, top: 30, bottom: 46 };

type Points = Record<Way, Map<number, number>>;

const count = new Intl.NumberFormat("en");
const NARROW = "\u202f";
const figure = (us: number) =>
  us >= 1_000
    ? `${(us / 1_000).toFixed(us >= 10_000 ? 0 : 1)}${NARROW}ms`
    : `${us >= 100 ? us.toFixed(0) : us.toPrecision(2)}${NARROW}µs`;

export function createCostChart(host: HTMLElement): void {
  const start = element("button", { type: "button", class: "primary", id: "cost-start" }, "Measure");
  const status = element(
    "p",
    { id: "cost-status", role: "status" },
    "Takes about five seconds. @ag-ui/client is loaded when you start.",
  );
  const picture = element("div", { class: "chart" });
  const verdict = element("p", { id: "cost-verdict" });
  const body = element("tbody");
  const table = element(
    "details",
    { class: "figures" },
    element("summary", {}, "The figures as a table"),
    element(
      "table",
      {},
      element("caption", {}, "Time for one content event and a new snapshot"),
      element("thead", {}, row("th", "messages", ...WAYS, "ratio")),
      body,
    ),
  );
  host.append(element("div", { class: "controls" }, start, status), picture, verdict, table);

  let points = none();
  let worker: Worker | undefined;

  function draw(): void {
    picture.replaceChildren(chart(points, Math.max(280, picture.clientWidth)));
    body.replaceChildren(
      ...SIZES.map((n) => {
        const [theirs, ours] = WAYS.map((way) => points[way].get(n));
        return row("td", count.format(n), cell(theirs), cell(ours), theirs && ours ? `${ratio(theirs, ours)}×` : "");
      }),
    );
    const [theirs, ours] = WAYS.map((way) => points[way].get(10_000));
    setText(
      verdict,
      theirs && ours
        ? `At 10,000 messages a token costs ${figure(ours)} here, and ${figure(theirs)} with @ag-ui/client: ${ratio(theirs, ours)} times as much.`
        : "",
    );
  }

  function hear(report: Report): void {
    switch (report.kind) {
      case "loading":
        return setText(status, "Loading @ag-ui/client…");
      case "measuring":
        return setText(status, `Measuring ${count.format(report.n)} messages…`);
      case "point":
        points[report.way].set(report.n, report.us);
        return draw();
      case "done":
        return finish("Done.");
      case "failed":
        return finish(`That did not work: ${report.message}`);
    }
  }

  function finish(said: string): void {
    worker?.terminate();
    worker = undefined;
    setText(start, "Measure again");
    setText(status, said);
  }

  start.addEventListener("click", () => {
    if (worker) return finish("Stopped.");
    points = none();
    draw();
    setText(start, "Stop");
    worker = new Worker(new URL("./cost-worker.ts", import.meta.url), { type: "module" });
    worker.addEventListener("message", ({ data }: MessageEvent<Report>) => hear(data));
    worker.addEventListener("error", ({ message }) =>
      finish(`That did not work: ${message || "the worker could not start"}`),
    );
  });
  new ResizeObserver(draw).observe(picture);
  draw();
}

const none = (): Points => ({ threadfold: new Map(), "@ag-ui/client": new Map() });
const ratio = (a: number, b: number) => (a / b >= 10 ? count.format(Math.round(a / b)) : (a / b).toFixed(1));
const cell = (us: number | undefined) => (us === undefined ? "" : figure(us));
const row = (tag: "td" | "th", ...cells: string[]) =>
  element(
    "tr",
    {},
    ...cells.map((text, index) =>
      element(index === 0 ? "th" : tag, { scope: index === 0 && tag === "td" ? "row" : undefined }, text),
    ),
  );

function chart(points: Points, width: number): SVGElement {
  const all = WAYS.flatMap((way) => [...points[way].values()]);
  const low = Math.floor(Math.log10(Math.min(0.5, ...all)));
  const high = Math.ceil(Math.log10(Math.max(2_000, ...all)));
  const x = (n: number) => EDGE.left + ((Math.log10(n) - 2) / 2) * (width - EDGE.left - EDGE.right);
  const y = (us: number) =>
    HEIGHT - EDGE.bottom - ((Math.log10(us) - low) / (high - low)) * (HEIGHT - EDGE.top - EDGE.bottom);

  const svg = svgElement("svg", {
    viewBox: `0 0 ${width} ${HEIGHT}`,
    width,
    height: HEIGHT,
    role: "img",
    "aria-label": spoken(points),
  });
  for (let power = low; power <= high; power++) {
    const us = 10 ** power;
    svg.append(
      svgElement("line", { class: "grid", x1: EDGE.left, x2: width - EDGE.right, y1: y(us), y2: y(us) }),
      svgElement("text", { class: "tick", x: EDGE.left - 8, y: y(us) + 4, "text-anchor": "end" }, decade(us)),
    );
  }
  for (const n of SIZES) {
    svg.append(
      svgElement(
        "text",
        { class: "tick", x: x(n), y: HEIGHT - EDGE.bottom + 20, "text-anchor": n === 10_000 ? "end" : "middle" },
        count.format(n),
      ),
    );
  }
  svg.append(
    svgElement(
      "text",
      { class: "axis", x: width - EDGE.right, y: HEIGHT - 6, "text-anchor": "end" },
      "messages in the thread →",
    ),
    svgElement("text", { class: "axis", x: 4, y: 14 }, "↑ time per token"),
  );

  if (all.length === 0) {
    svg.append(
      svgElement(
        "text",
        { class: "axis", x: (EDGE.left + width) / 2, y: HEIGHT / 2, "text-anchor": "middle" },
        "not measured yet",
      ),
    );
  }
  for (const way of WAYS) {
    const line = [...points[way]].map(([n, us]) => ({ n, us, x: x(n), y: y(us) }));
    const last = line.at(-1);
    if (!last) continue;
    const name = way === "threadfold" ? "ours" : "theirs";
    svg.append(
      svgElement("polyline", { class: `line ${name}`, points: line.map((at) => `${at.x},${at.y}`).join(" ") }),
    );
    for (const at of line) {
      const dot = svgElement("circle", { class: `dot ${name}`, cx: at.x, cy: at.y, r: 4 });
      dot.append(svgElement("title", {}, `${way}, ${count.format(at.n)} messages: ${figure(at.us)}`));
      svg.append(dot);
    }
    const anchor = last.x > width * 0.6 ? "end" : "start";
    svg.append(
      svgElement(
        "text",
        {
          class: `label ${name}`,
          x: last.x + (anchor === "end" ? 4 : -4),
          y: last.y + (name === "ours" ? 22 : -12),
          "text-anchor": anchor,
        },
        `${way} ${figure(last.us)}`,
      ),
    );
  }
  return svg;
}

const decade = (us: number) =>
  us >= 1_000 ? `${us / 1_000} ms` : `${us >= 1 ? us : us.toFixed(String(1 / us).length - 1)} µs`;

function spoken(points: Points): string {
  const parts = WAYS.filter((way) => points[way].size > 0).map(
    (way) => `${way}: ${[...points[way]].map(([n, us]) => `${figure(us)} at ${count.format(n)} messages`).join(", ")}`,
  );
  return parts.length === 0 ? "An empty chart: nothing is measured yet." : `Cost of a token. ${parts.join(". ")}.`;
}
