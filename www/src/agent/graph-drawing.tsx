// A graph, drawn of its mermaid text. The nodes at work light up.
import { useId, useMemo } from "react";
import { layOut } from "./layout";

/** How much larger than its text it is drawn, where there is room. */
const SCALE = 1.35;

interface Props {
  readonly mermaid: string;
  /** The nodes at work. */
  readonly active: ReadonlySet<string>;
  /** The nodes that would run next. */
  readonly next: readonly string[];
}

export function GraphDrawing({ mermaid, active, next }: Props) {
  const { width, height, nodes, edges } = useMemo(() => layOut(mermaid), [mermaid]);
  const arrow = useId();
  const now =
    active.size > 0
      ? `At work: ${[...active].join(", ")}.`
      : next.length > 0
        ? `Next: ${next.join(", ")}.`
        : "At rest.";
  return (
    <figure className="graph">
      <svg
        viewBox={`0 0 ${width} ${height}`}
        width={width * SCALE}
        height={height * SCALE}
        role="img"
        aria-label={`The agent's graph. ${now}`}
      >
        <defs>
          <marker id={arrow} viewBox="0 0 8 8" refX="1" refY="4" markerWidth="7" markerHeight="7" orient="auto">
            <path d="M 0 0 L 8 4 L 0 8 z" />
          </marker>
        </defs>
        {edges.map(({ from, to, isConditional, path }) => (
          <path
            key={`${from} ${to}`}
            className={isConditional ? "edge conditional" : "edge"}
            d={path}
            markerEnd={`url(#${arrow})`}
          />
        ))}
        {nodes.map(({ id, label, x, y, width: wide }) => (
          <g
            key={id}
            className={id.startsWith("__") ? "node end" : "node"}
            data-node={id}
            data-state={active.has(id) ? "active" : next.includes(id) ? "next" : undefined}
            transform={`translate(${x} ${y})`}
          >
            <rect x={-wide / 2} y={-17} width={wide} height={34} rx={id.startsWith("__") ? 17 : 8} />
            <text textAnchor="middle" dominantBaseline="central">
              {label}
            </text>
          </g>
        ))}
      </svg>
    </figure>
  );
}
