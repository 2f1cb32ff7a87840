// The switches for the faults of the page's own agent.
import { useState } from "react";
import { NO_FAULTS, setFaults, type Faults } from "./faults";

const LATENCIES = [
  [0, "at once"],
  [300, "after 300 ms"],
  [1_000, "after 1 s"],
  [3_000, "after 3 s"],
] as const;
const LINES = [
  ["whole", "stays up"],
  ["resume", "is cut, then resumed"],
  ["replay", "is cut, then replayed"],
] as const;
const SWITCHES = [
  ["fail", "Run fails midway"],
  ["lag", "Snapshots come late"],
  ["rewrite", "Answer is reworded"],
] as const;

export function FaultControls({ protocol }: { protocol: "ag-ui" | "langgraph" }) {
  const [faults, set] = useState(NO_FAULTS);
  const change = (changed: Partial<Faults>) => {
    const next = { ...faults, ...changed };
    set(next);
    setFaults(next);
  };
  return (
    <details id="faults">
      <summary>Make it go wrong</summary>
      <div className="faults" role="group" aria-label="Faults">
        <div className="field">
          <label htmlFor="fault-latency">Server answers</label>
          <select
            id="fault-latency"
            value={faults.latency}
            onChange={({ target }) => change({ latency: Number(target.value) })}
          >
            {LATENCIES.map(([value, text]) => (
              <option key={value} value={value}>
                {text}
              </option>
            ))}
          </select>
        </div>
        <div className="field">
          <label htmlFor="fault-line">Connection</label>
          <select
            id="fault-line"
            value={faults.line}
            onChange={({ target }) => change({ line: target.value as Faults["line"] })}
          >
            {LINES.map(([value, text]) => (
              <option key={value} value={value}>
                {text}
              </option>
            ))}
          </select>
        </div>
        {SWITCHES.map(([name, text]) => (
          <label key={name} className="switch">
            <input
              type="checkbox"
              checked={faults[name]}
              // The LangGraph of this page sends its state after each step, never late.
              disabled={name === "lag" && protocol === "langgraph"}
              onChange={({ target }) => change({ [name]: target.checked })}
            />
            <span>{text}</span>
          </label>
        ))}
      </div>
    </details>
  );
}
