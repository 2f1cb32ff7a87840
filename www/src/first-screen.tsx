// The first screen: a chat that plays, its shortest code, and the cost of a token.
import { useState } from "react";
import { createPortal } from "react-dom";
import { ChatCard } from "./chat/chat-card";
import { open, startOver, type Chat } from "./chat/connection";
import { StatePane } from "./chat/state-pane";
import { Code } from "./code";
import { TokenCost } from "./cost/token-cost";
import { DevtoolsButton } from "./devtools-button";

interface Hosts {
  readonly stateHost: HTMLElement;
  readonly devtoolsHost: HTMLElement;
}

export function FirstScreen({ first, stateHost, devtoolsHost }: { first: Chat } & Hosts) {
  const [chat, setChat] = useState(first);
  return (
    <>
      <ChatCard
        chat={chat}
        choose={(server) => {
          chat.close();
          void open(server).then(setChat);
        }}
        startOver={() => void startOver(chat).then(setChat)}
      />
      <div className="beside">
        <Code protocol={chat.server.protocol} />
        <TokenCost agent={chat.agent} />
      </div>
      {createPortal(<StatePane chat={chat} />, stateHost)}
      {createPortal(<DevtoolsButton chat={chat} />, devtoolsHost)}
    </>
  );
}
