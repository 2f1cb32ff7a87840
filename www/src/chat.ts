// The first section: a chat with an agent server, with the thread's state beside it.
import { createDriftLight } from "./drift-light";
import { byId, element, setText } from "./dom";
import { createFaultControls } from "./fault-controls";
import { createServerChoice } from "./server-choice";
import { Session } from "./session";
import { isObject, type ThreadState } from "./state";
import { StateTree } from "./state-tree";
import { ThreadView, type Note } from "./thread-view";
import { read } from "./message";

const SUGGESTIONS = ["Plan my week", "What is the weather in Lima and Osaka?", "A long answer, please", "Hi"];

export function startChat(): void {
  const faults = createFaultControls(byId("faults"));
  const light = createDriftLight(byId("drift"), byId("differences"));
  const status = element("p", { id: "run-status", role: "status" });
  const text = element("textarea", {
    id: "composer-text",
    rows: 1,
    placeholder: "Write to the agent",
    enterkeyhint: "send",
  });
  const send = element("button", { type: "submit", class: "primary" }, "Send");
  const fresh = element("button", { type: "button", class: "quiet" }, "New thread");
  const composer = element(
    "form",
    { id: "composer", class: "composer" },
    element("label", { for: "composer-text", class: "unseen" }, "Message"),
    text,
    send,
  );
  const suggestions = SUGGESTIONS.map((suggestion) => {
    const chip = element("button", { type: "button", class: "chip" }, suggestion);
    chip.addEventListener("click", () => say(suggestion));
    return chip;
  });
  byId("chat-foot").append(
    element("div", { class: "chips", role: "group", "aria-label": "Suggestions" }, ...suggestions),
    composer,
    status,
  );
  byId("chat-head").append(fresh);

  const view = new ThreadView(
    byId("chat-thread"),
    "Nothing said yet. What you send shows here before the server has heard of it.",
    {
      retry: (id) => {
        session.retry(id);
        toEnd = true;
      },
      rollback: (id) => session.rollback(id),
    },
  );
  const tree = new StateTree(byId("chat-state"));
  const legend = byId("chat-legend");

  const server = createServerChoice(byId("server"), begin);
  let session = open();
  let shown: ThreadState = session.thread.getState();
  let frame = 0;
  let toEnd = false;

  function open(): Session {
    const made = new Session(server.current(), faults.read, (said) => {
      setText(status, said);
      later();
    });
    made.thread.subscribe(later);
    made.thread.on("drift", ({ patch }) => light.drift(patch));
    made.thread.on("error", (error) => light.error(`${error.code}: ${error.message}`));
    return made;
  }

  function begin(): void {
    session.close();
    light.reset();
    setText(status, "");
    byId("faults").hidden = !server.ours();
    session = open();
    later();
  }

  /** Shows the thread once for each frame, however many events came in it. */
  function later(): void {
    frame ||= requestAnimationFrame(() => {
      frame = 0;
      show();
    });
  }

  function show(): void {
    const { thread } = session;
    const state = thread.getState();
    const notes = notesOf(session);
    view.show(state, toEnd || view.atEnd, notes);
    toEnd = false;
    tree.show(shown, state, thread.confirmed);
    shown = state;
    setText(legend, describe(notes));
  }

  function say(said: string): void {
    session.send(said);
    toEnd = true;
  }

  composer.addEventListener("submit", (event) => {
    event.preventDefault();
    const said = text.value.trim();
    if (!said) return;
    text.value = "";
    say(said);
  });
  text.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    composer.requestSubmit();
  });
  fresh.addEventListener("click", begin);
  byId("faults").hidden = !server.ours();
  show();
}

/** What is to be said of the messages that are pending, by the messages' ids. */
function notesOf(session: Session): Map<string, Note> {
  const notes = new Map<string, Note>();
  for (const { id, update, status, error } of session.thread.pending) {
    for (const message of (update as Partial<ThreadState>).messages ?? []) {
      notes.set(read(message).id, {
        update: id,
        status: session.waits(id) ? "waiting" : status,
        error: sentence(error),
      });
    }
  }
  return notes;
}

function describe(notes: ReadonlyMap<string, Note>): string {
  if (notes.size === 0) return "All of it is confirmed by the server.";
  const failed = [...notes.values()].filter(({ status }) => status === "failed").length;
  return `${notes.size} pending${failed > 0 ? ` (${failed} failed)` : ""}; the rest is confirmed by the server.`;
}

/** What a server or the network said: an Error, or an object with its message. */
const sentence = (error: unknown) =>
  isObject(error) && "message" in error ? String(error["message"]) : String(error ?? "");
