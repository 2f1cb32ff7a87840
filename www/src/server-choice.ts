// Which server the chat talks to: the embedded one, or any other by its address.
import { element, setText } from "./dom";
import { langGraphServer } from "./langgraph-server";
import { agUiServer, type AgentServer } from "./servers";

const KINDS = [
  ["ours", "the agent of this page"],
  ["ag-ui", "an AG-UI server"],
  ["langgraph", "a LangGraph deployment"],
] as const;
const EXAMPLES: Record<string, string> = { "ag-ui": "http://127.0.0.1:8123/agent", langgraph: "http://127.0.0.1:2024" };

/** Where the agent of this page is: beside the page. */
const OURS = new URL("./agent", document.baseURI).href;

export interface ServerChoice {
  current(): AgentServer;
  ours(): boolean;
}

/** `onChange` is called when another server was chosen; `current` answers with that one from then on. */
export function createServerChoice(host: HTMLElement, onChange: () => void): ServerChoice {
  const kind = element(
    "select",
    { id: "server-kind" },
    ...KINDS.map(([value, text]) => element("option", { value }, text)),
  );
  const address = element("input", { id: "server-address", type: "url", required: true, spellcheck: "false" });
  const assistant = element("input", { id: "server-assistant", value: "agent", required: true, spellcheck: "false" });
  const connect = element("button", { type: "submit" }, "Connect");
  const hint = element("p", { class: "hint" });
  const form = element(
    "form",
    { class: "controls" },
    field("Talk to", kind),
    field("Address", address),
    field("Assistant", assistant),
    connect,
    hint,
  );
  host.append(form);
  let server = agUiServer(OURS, true);
  let ours = true;

  function shape(): void {
    const chosen = kind.value;
    const foreign = chosen !== "ours";
    const withAssistant = chosen === "langgraph";
    for (const [input, needed] of [
      [address, foreign],
      [assistant, withAssistant],
    ] as const) {
      input.disabled = !needed;
      if (input.parentElement) input.parentElement.hidden = !needed;
    }
    connect.hidden = !foreign;
    address.placeholder = EXAMPLES[chosen] ?? "";
    setText(hint, foreign ? "The server must allow requests from this page (CORS)." : "");
  }

  function choose(): void {
    ours = kind.value === "ours";
    server = ours
      ? agUiServer(OURS, true)
      : kind.value === "langgraph"
        ? langGraphServer(address.value, assistant.value)
        : agUiServer(address.value, false);
    onChange();
  }

  kind.addEventListener("change", () => {
    shape();
    if (kind.value === "ours") choose();
    else if (!address.value) address.value = EXAMPLES[kind.value] ?? "";
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    choose();
  });
  shape();
  return { current: () => server, ours: () => ours };
}

const field = (text: string, control: HTMLElement) =>
  element("div", { class: "field" }, element("label", { for: control.id }, text), control);
