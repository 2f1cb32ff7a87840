// A recording, played into the thread and the state tree.
import { byId, element, setText } from "./dom";
import { History, type Step } from "./history";
import { createPlayer } from "./player";
import { createReplayThread } from "./replay-thread";
import { loadRecording, RECORDINGS, type Recording } from "./recording";
import { difference, values } from "./sharing";
import { StateTree } from "./state-tree";

const calm = matchMedia("(prefers-reduced-motion: reduce)");

export function startReplay(): void {
  const select = element(
    "select",
    { "aria-label": "Recording", class: "recording" },
    ...RECORDINGS.map(({ id, label }) => element("option", { value: id }, label)),
  );
  const event = element("p", { class: "event" });
  const scroll = byId("state");
  const changed = byId("changed");
  const shared = byId("shared");
  const about = byId("recording-about");

  const showThread = createReplayThread(byId("thread"));
  const tree = new StateTree(scroll);
  let history: History | undefined;

  const player = createPlayer(byId("player"), [select], (index, playing) => {
    if (!history) return;
    const step = history.at(index);
    showThread(step.state);
    const lit = tree.show(step.previous, step.state);
    if (lit) keepInSight(scroll, lit);
    event.replaceChildren(...describeEvent(step));
    // A screen reader announces each requested step, not a stream of them.
    changed.ariaLive = playing ? "off" : "polite";
    setText(changed, describeChange(step));
    setText(shared, describeSharing(history));
  });
  byId("player").append(event);

  async function load(recording: Recording): Promise<void> {
    try {
      const { events, skipped } = await loadRecording(recording);
      history = new History(recording, events);
      setText(about, recording.about + (skipped ? ` ${skipped} RAW events, copies for debugging, are left out.` : ""));
      // Users who prefer reduced motion get the finished run, and a play button.
      player.load(history.last, calm.matches ? history.last : 0);
      if (!calm.matches) playInSight();
    } catch (error) {
      console.error(error);
      setText(about, error instanceof Error ? error.message : String(error));
    }
  }

  /** Begins when the player is on the screen: an unseen player should cost nothing. */
  const sight = new IntersectionObserver((entries) => {
    if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
    sight.disconnect();
    player.play();
  });
  function playInSight(): void {
    sight.disconnect();
    sight.observe(byId("player"));
  }

  select.addEventListener("change", () => {
    void load(RECORDINGS.find(({ id }) => id === select.value) ?? RECORDINGS[0]);
  });
  void load(RECORDINGS[0]);
}

function keepInSight(scroll: HTMLElement, item: HTMLElement): void {
  const [outer, inner] = [scroll.getBoundingClientRect(), item.getBoundingClientRect()];
  if (inner.top < outer.top || inner.bottom > outer.bottom) {
    scroll.scrollTop += inner.top - outer.top - outer.height / 3;
  }
}

function describeEvent({ event }: Step): Node[] {
  if (!event) return [element("b", {}, "before the run"), element("code", {}, "what the client already had")];
  const { type: _, delta, ...rest } = event.data as Record<string, unknown>;
  // The event's new content comes first: the line may be cut.
  const data = Array.isArray(event.data) ? event.data[0] : { delta, ...rest };
  return [element("b", {}, event.name), element("code", {}, JSON.stringify(data).slice(0, 400))];
}

function describeChange({ event, previous, state }: Step): string {
  if (!event) return `${values(state)} values, before the first event`;
  const { values: count } = difference(previous, state);
  return count === 0
    ? "Nothing changed: the very same state object."
    : `${count} of ${values(state)} values changed; the rest are === to the ones before.`;
}

function describeSharing(history: History): string {
  const { snapshots, referred, real } = history.sharing();
  if (snapshots === 1) return "";
  return `${snapshots} snapshots kept. Copied, they would be ${referred.toLocaleString("en")} objects; sharing what did not change, they are ${real.toLocaleString("en")}.`;
}
