// The shortest chat, to be pasted: it runs as it is (js-tests/hosts/demo/shortest-chat.test.ts).
// oxlint-disable import/default -- Vite makes the default export of a file's text.
import agUi from "./shortest/ag-ui.tsx?raw";
import langGraph from "./shortest/langgraph.tsx?raw";
import { copyFrom } from "./dom";

const TOKEN =
  /(\/\/.*)|("[^"]*")|\b(import|export|from|function|const|return|type|void|new|await)\b|(<\/?[A-Z]\w*|\/>)/g;
const KINDS = ["comment", "string", "keyword", "tag"];

export function Code({ protocol }: { protocol: "ag-ui" | "langgraph" }) {
  const code = protocol === "ag-ui" ? agUi : langGraph;
  return (
    <section className="card code" aria-labelledby="code-title">
      <div className="card-head">
        <h2 id="code-title">A chat in 15 lines</h2>
        <button
          type="button"
          className="quiet"
          aria-label="Copy the code"
          onClick={({ currentTarget }) => void copyFrom(currentTarget, code)}
        >
          Copy
        </button>
        <p>Paste it: it is complete. The chat of this page adds looks, saving and retries.</p>
      </div>
      <pre tabIndex={0} aria-labelledby="code-title">
        <code>{coloured(code)}</code>
      </pre>
    </section>
  );
}

function coloured(text: string) {
  const parts = [];
  let end = 0;
  for (const match of text.matchAll(TOKEN)) {
    const kind = KINDS[match.slice(1).findIndex((group) => group !== undefined)];
    parts.push(
      text.slice(end, match.index),
      <span key={match.index} className={kind}>
        {match[0]}
      </span>,
    );
    end = match.index + match[0].length;
  }
  return [...parts, text.slice(end)];
}
