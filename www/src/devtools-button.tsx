// Opens the devtools with the chat that is shown. They are loaded when somebody asks for them.
import type { Chat } from "./chat/connection";

export function DevtoolsButton({ chat }: { chat: Chat }) {
  const open = async () => {
    const { mountDevtools } = await import("threadfold/devtools");
    const devtools = mountDevtools({ button: false });
    devtools.add(chat.agent, { name: `The chat, over ${chat.server.protocol === "ag-ui" ? "AG-UI" : "LangGraph"}` });
    devtools.open();
  };
  return (
    <button type="button" className="link" onClick={() => void open()}>
      Devtools
    </button>
  );
}
