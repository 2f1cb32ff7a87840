// The code of the chat: the very files that the page runs.
// oxlint-disable import/default -- Vite makes the default export of a file's text.
import agUi from "./chat/open-ag-ui.ts?raw";
import langGraph from "./chat/open-langgraph.ts?raw";
import messages from "./chat/messages.tsx?raw";

const TOKEN =
  /(\/\/.*)|("[^"]*")|\b(import|export|from|function|const|return|type|void|new|await)\b|(<\/?[A-Z]\w*|\/>)/g;
const KINDS = ["comment", "string", "keyword", "tag"];

export function Code({ protocol }: { protocol: "ag-ui" | "langgraph" }) {
  return (
    <section className="card code" aria-labelledby="code-title">
      <div className="card-head">
        <h2 id="code-title">The code that makes it</h2>
        <p>these files run here; the rest is looks</p>
      </div>
      <pre tabIndex={0} aria-labelledby="code-title">
        <code>{coloured(protocol === "ag-ui" ? agUi : langGraph)}</code>
        <code>{coloured(messages)}</code>
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
