// A recording's file: JSON, one part a line, so that a diff shows what a server says otherwise.
// The metadata that LangGraph repeats with every token is kept once, in `shared`, and read back whole.
import { readdirSync, readFileSync } from "node:fs";

const here = new URL("./", import.meta.url);

/** The protocols, each with a folder of its own. */
export const KINDS = ["ag-ui", "langgraph", "langgraph-v2"];

export const pathOf = (kind, name) => new URL(`${kind}/${name}.json`, here);

/**
 * @typedef {{ id?: string, event?: string, data: any }} Part
 * @typedef {{ request: any, parts: Part[], state: any }} Turn one run: what was asked, what came, what the server held then
 * @typedef {{ graph: string, turns: Turn[], rejoined?: Part[] }} Recording
 */

/** The names of a protocol's recordings: graphs, some with a suffix that says how they were run. */
export function listRecordings(kind) {
  return readdirSync(new URL(`${kind}/`, here))
    .map((file) => file.replace(/\.json$/, ""))
    .sort();
}

/** @returns {Recording} */
export function readRecording(kind, name) {
  return parse(readFileSync(pathOf(kind, name), "utf8"));
}

/** @returns {Recording} */
export function parse(text) {
  const { shared, ...recording } = JSON.parse(text);
  const part = ({ m, ...rest }) =>
    m === undefined ? rest : { ...rest, data: [rest.data, structuredClone(shared[m])] };
  return {
    ...recording,
    turns: recording.turns.map((turn) => ({ ...turn, parts: turn.parts.map(part) })),
    ...(recording.rejoined ? { rejoined: recording.rejoined.map(part) } : {}),
  };
}

/** @param {Recording} recording */
export function format({ turns, rejoined, ...recording }) {
  const shared = [];
  const part = (part) => {
    if (!/^messages(\||$)/.test(part.event ?? "") || !Array.isArray(part.data)) return JSON.stringify(part);
    const [message, metadata] = part.data;
    const text = JSON.stringify(metadata);
    if (!shared.includes(text)) shared.push(text);
    return JSON.stringify({ ...part, data: message, m: shared.indexOf(text) });
  };
  const list = (lines) => (lines.length === 0 ? "[]" : `[\n${lines.join(",\n")}\n]`);
  const turn = ({ request, parts, state }) =>
    `{ "request": ${JSON.stringify(request)},\n"parts": ${list(parts.map(part))},\n"state": ${JSON.stringify(state)} }`;
  const body = [`"turns": ${list(turns.map(turn))}`, ...(rejoined ? [`"rejoined": ${list(rejoined.map(part))}`] : [])];
  const head = Object.entries(recording).map(([key, value]) => `${JSON.stringify(key)}: ${JSON.stringify(value)}`);
  return `{ ${[...head, ...body, `"shared": ${list(shared)}`].join(",\n")} }\n`;
}
