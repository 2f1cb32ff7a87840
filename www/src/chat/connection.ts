// Which server the chat talks to, and the chat with it.
import type { Thread } from "threadfold";
import type { AgUiRunner } from "threadfold/ag-ui";
import type { LangGraphRunner } from "threadfold/langgraph";
import { faultyFetch } from "./faults";
import * as agUi from "./open-ag-ui";
import * as langGraph from "./open-langgraph";
import { saved, storage } from "./saved";

export interface Server {
  readonly protocol: "ag-ui" | "langgraph";
  /** Undefined is the agent of this page. */
  readonly address?: string;
  readonly assistant?: string;
}

export interface Chat {
  readonly server: Server;
  readonly thread: Thread;
  readonly agent: AgUiRunner | LangGraphRunner;
  /** Lets go of it; whoever opens the chat again can rejoin a run that continues. */
  close(): void;
}

const SERVER = "threadfold-demo server";

/** The server that was talked to last. */
export function lastServer(): Server {
  try {
    const server = JSON.parse(storage.getItem(SERVER) ?? "") as Server;
    if (server.protocol === "ag-ui" || server.protocol === "langgraph") return server;
  } catch {
    // There was none.
  }
  return { protocol: "ag-ui" };
}

/** The chat with a server, as it was left. */
export async function open(server: Server): Promise<Chat> {
  storage.setItem(SERVER, JSON.stringify(server));
  const { thread, agent, stopSaving } = await begin(server);
  return {
    server,
    // The page reads messages in either form.
    thread: thread as unknown as Thread,
    agent,
    close() {
      agent.dispose();
      stopSaving();
    },
  };
}

/** Closes a chat, and opens an empty one with the same server. */
export async function startOver(chat: Chat): Promise<Chat> {
  chat.close();
  storage.removeItem(savedOf(chat.server).name);
  return open(chat.server);
}

const savedOf = ({ protocol, address = "here" }: Server) => saved(`${protocol} ${address}`);

function begin(server: Server) {
  const { protocol, address, assistant = "agent" } = server;
  const place = savedOf(server);
  if (address !== undefined) {
    return protocol === "ag-ui"
      ? agUi.openChat(place, { url: address })
      : langGraph.openChat(place, { apiUrl: address, assistantId: assistant });
  }
  const here = new URL(protocol === "ag-ui" ? "./agent" : "./langgraph", document.baseURI).href;
  return protocol === "ag-ui"
    ? agUi.openChat(place, {
        url: here,
        resumable: true,
        fetch: faultyFetch,
      })
    : langGraph.openChat(place, { apiUrl: here, assistantId: assistant, fetch: faultyFetch });
}
