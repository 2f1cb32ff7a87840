// An agent that runs in this page: the conversation, its graph and its checkpoints.
import { useEffect, useRef, useState, useSyncExternalStore, type FormEvent } from "react";
import { toAgUi } from "threadfold";
import { useThread } from "threadfold/react";
import { Bubble, sentence } from "../chat/bubble";
import { ContextRing } from "../chat/context";
import { useFollow } from "../chat/follow";
import { Messages } from "../chat/messages";
import { Plan } from "../chat/plan";
import { Question } from "../chat/question";
import type { Checkpoint } from "./checkpoints";
import { context, graph, ROOM } from "./graph";
import { GraphDrawing } from "./graph-drawing";
import { ModelChoice } from "./model-choice";
import type { PageAgent } from "./page-agent";
import { TimeTravel } from "./time-travel";

const SUGGESTIONS = ["Plan a trip", "Compare the weather", "Write to Ada"];
const MERMAID = graph.drawMermaid();

export function AgentSection({ opened }: { opened: PageAgent }) {
  const [agent, setAgent] = useState(opened);
  const { active, checkpoints } = useSyncExternalStore(agent.subscribe, agent.getSight);
  const status = useSyncExternalStore(agent.runner.subscribe, agent.runner.getStatus);
  const [at, show] = useState<number>();
  const past = at === undefined ? undefined : checkpoints[at];
  const isIdle = status !== "submitted" && status !== "streaming";
  const next = (past ?? (status === "interrupted" ? checkpoints.at(-1) : undefined))?.next ?? NONE;
  const view = useSyncExternalStore(agent.thread.subscribe, () => context.of(agent.thread as never));
  useEffect(() => () => void agent.stop(), [agent]);
  const say = (text: string) => {
    show(undefined);
    void agent.runner.sendMessage(text);
  };
  return (
    <div className="page-agent">
      <section className="card" aria-labelledby="page-agent-chat">
        <div className="card-head">
          <h3 id="page-agent-chat">The agent</h3>
          <span className="spring" />
          <ContextRing view={view as never} room={ROOM} />
          <button type="button" className="quiet" onClick={() => setAgent(agent.startOver())}>
            Start over
          </button>
        </div>
        <Conversation key={agent.thread.threadId} agent={agent} past={past} />
        <div className="foot">
          {status === "interrupted" && !past && <Question agent={agent.runner} />}
          <div className="run">
            <p role="status" data-status={status} className="small">
              {past ? "This is how it was then." : wordsOf(status, agent)}
            </p>
            {!isIdle && (
              <button type="button" className="quiet" onClick={() => void agent.stop()}>
                Stop
              </button>
            )}
            {status === "error" && (
              <button type="button" className="quiet" onClick={() => void agent.runner.retry()}>
                Try again
              </button>
            )}
          </div>
          <div className="chips" role="group" aria-label="Suggestions for the agent">
            {SUGGESTIONS.map((text) => (
              <button key={text} type="button" className="chip" onClick={() => say(text)}>
                {text}
              </button>
            ))}
          </div>
          <Composer say={say} />
          <ModelChoice />
        </div>
      </section>
      <section className="card" aria-labelledby="page-agent-graph">
        <div className="card-head">
          <h3 id="page-agent-graph">Its graph, and its checkpoints</h3>
        </div>
        <GraphDrawing mermaid={MERMAID} active={past ? NOBODY : active} next={next} />
        <TimeTravel
          checkpoints={checkpoints}
          at={at}
          isIdle={isIdle}
          show={show}
          goBack={(to) => {
            show(undefined);
            void agent.goBack(to);
          }}
        />
      </section>
    </div>
  );
}

const NONE: readonly string[] = [];
const NOBODY: ReadonlySet<string> = new Set();

function Conversation({ agent: { thread }, past }: { agent: PageAgent; past: Checkpoint | undefined }) {
  const log = useRef<HTMLDivElement>(null);
  useFollow(log);
  const isEmpty = useThread(thread, ({ messages }) => messages.length === 0);
  const todos = useThread(thread, (state) => state.todos);
  return (
    <>
      <Plan todos={past ? past.todos : todos} folds />
      <div className="log" ref={log} tabIndex={0} role="log" aria-label="The agent's messages" aria-live="off">
        <ol className="messages">
          {past ? (
            past.messages.map((message) => <Bubble key={message.id} message={toAgUi(message)} />)
          ) : (
            <Messages thread={thread as never} />
          )}
        </ol>
        {isEmpty && !past && (
          <p className="hint">Ask it something: its graph lights up as it works, without a server.</p>
        )}
      </div>
    </>
  );
}

function Composer({ say }: { say: (text: string) => void }) {
  const send = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    const text = String(new FormData(form).get("text")).trim();
    if (text === "") return;
    form.reset();
    say(text);
  };
  return (
    <form className="composer" onSubmit={send}>
      <label htmlFor="page-agent-text" className="unseen">
        Ask the agent
      </label>
      <input
        id="page-agent-text"
        name="text"
        placeholder="Ask the agent of this page"
        autoComplete="off"
        enterKeyHint="send"
      />
      <button type="submit" className="primary">
        Ask
      </button>
    </form>
  );
}

function wordsOf(status: string, { runner }: PageAgent): string {
  switch (status) {
    case "submitted":
    case "streaming":
      return "The agent is at work…";
    case "interrupted":
      return "The agent waits for you.";
    case "error":
      return `Failed: ${sentence(runner.error)}`;
    default:
      return "";
  }
}
