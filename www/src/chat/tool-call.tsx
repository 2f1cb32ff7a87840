// A tool's call and its result, drawn.
import type { PropsWithChildren } from "react";
import { isObject } from "../state";
import type { ShownCall } from "./message";
import { readArguments } from "./tool-arguments";

const STATUS: Record<string, string> = { pending: "○", in_progress: "◐", completed: "●" };

export function ToolCall({ name, args, children }: PropsWithChildren<Omit<ShownCall, "id">>) {
  // The name of a sub-agent stands with it, below.
  const entries = Object.entries(readArguments(args)).filter(([key]) => key !== "subagent_type");
  return (
    <div className="call">
      <b>{name.replaceAll("_", " ")}</b>
      {entries.length > 0 && (
        <dl>
          {entries.map(([key, value]) => (
            <div key={key}>
              <dt>{key.replaceAll("_", " ")}</dt>
              <dd>
                <Value value={value} />
              </dd>
            </div>
          ))}
        </dl>
      )}
      {children}
    </div>
  );
}

export function ToolResult({ text }: { text: string }) {
  return (
    <p className="result">
      <span aria-hidden="true">↳ </span>
      <span className="text">{text}</span>
    </p>
  );
}

function Value({ value }: { value: unknown }) {
  if (Array.isArray(value)) {
    return (
      <ul>
        {value.map((item: unknown, at) => (
          <li key={at}>
            <Value value={item} />
          </li>
        ))}
      </ul>
    );
  }
  if (!isObject(value)) return String(value ?? "");
  const { status, ...rest } = value;
  const mark = STATUS[String(status)];
  const fields = Object.values(mark ? rest : value).map((field) =>
    typeof field === "string" ? field : JSON.stringify(field),
  );
  return `${mark ? `${mark} ` : ""}${fields.join(" · ")}`;
}
