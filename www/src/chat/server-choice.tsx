// Which server the chat talks to: the embedded agent, or any other by its address.
import { useState } from "react";
import type { Server } from "./connection";

const KINDS = [
  ["ours", "AG-UI: the agent of this page"],
  ["ours-langgraph", "LangGraph: the agent of this page"],
  ["ag-ui", "AG-UI: another server"],
  ["langgraph", "LangGraph: another deployment"],
] as const;
const EXAMPLES: Record<string, string> = { "ag-ui": "http://127.0.0.1:8123/agent", langgraph: "http://127.0.0.1:2024" };

const kindOf = ({ protocol, address }: Server): string =>
  address !== undefined ? protocol : protocol === "ag-ui" ? "ours" : "ours-langgraph";

export function ServerChoice({ server, choose }: { server: Server; choose: (server: Server) => void }) {
  const [kind, setKind] = useState(kindOf(server));
  const [address, setAddress] = useState(server.address ?? EXAMPLES[kind] ?? "");
  const [assistant, setAssistant] = useState(server.assistant ?? "agent");
  const isForeign = !kind.startsWith("ours");
  const pick = (next: string) => {
    setKind(next);
    setAddress(EXAMPLES[next] ?? "");
    if (next.startsWith("ours")) choose({ protocol: next === "ours" ? "ag-ui" : "langgraph" });
  };
  return (
    <form
      className="server"
      onSubmit={(event) => {
        event.preventDefault();
        choose(kind === "langgraph" ? { protocol: kind, address, assistant } : { protocol: "ag-ui", address });
      }}
    >
      <div className="field">
        <label htmlFor="server-kind">Talk to</label>
        <select id="server-kind" value={kind} onChange={({ target }) => pick(target.value)}>
          {KINDS.map(([value, text]) => (
            <option key={value} value={value}>
              {text}
            </option>
          ))}
        </select>
      </div>
      {isForeign && (
        <>
          <div className="field">
            <label htmlFor="server-address">Address</label>
            <input
              id="server-address"
              type="url"
              required
              spellCheck={false}
              value={address}
              onChange={({ target }) => setAddress(target.value)}
            />
          </div>
          {kind === "langgraph" && (
            <div className="field">
              <label htmlFor="server-assistant">Assistant</label>
              <input
                id="server-assistant"
                required
                spellCheck={false}
                value={assistant}
                onChange={({ target }) => setAssistant(target.value)}
              />
            </div>
          )}
          <button type="submit">Connect</button>
          <p className="hint">The server must allow requests from this page (CORS).</p>
        </>
      )}
    </form>
  );
}
