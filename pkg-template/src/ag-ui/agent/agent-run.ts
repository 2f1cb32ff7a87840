// One run of an agent: its events folded into the agent's thread, its subscribers asked on the way.
import type {
  AbstractAgent,
  AgentStateMutation,
  AgentSubscriber,
  BaseEvent,
  Interrupt,
  Message,
  RunAgentInput,
} from "@ag-ui/client";
import type { Observable, Subscriber } from "rxjs";
import type { ThreadOfAgent } from "./agent-thread.js";
import { copyOfEvent } from "./copies.js";
import type { FoldedEvent, RunFinished } from "../event-types.js";
import { stepOf } from "../events.js";
import { type Change, NOTHING, type Step } from "../fold.js";
import { observableClass } from "./observable-class.js";
import { breakOff, interruptsOf, leave } from "../runs.js";
import { ask, type Asked, hasHook, paramsOf } from "./subscribers.js";
import { warningBefore } from "./warnings.js";

/** A run's agent, with the members that the run needs. */
export interface RunSetting {
  readonly agent: AbstractAgent;
  readonly held: ThreadOfAgent;
  readonly input: RunAgentInput;
  readonly subscribers: readonly AgentSubscriber[];
  /** Whether the agent joins runs that others started. A run that it starts itself is a new one, whatever its id. */
  readonly joined: boolean;
}

/**
 * Returns what an agent's `apply` returns: for each event that changes something, the agent's new messages or state.
 * Takes the events one after the other, however fast they come; if their stream fails, it folds those before the error
 * first.
 */
export function applied(events: Observable<BaseEvent>, setting: RunSetting): Observable<AgentStateMutation> {
  const Plain = observableClass(events);
  return new Plain<AgentStateMutation>((subscriber) => {
    const run = new AgentRun(setting, subscriber);
    const waiting: BaseEvent[] = [];
    let ending: (() => void) | undefined;
    let busy = false;
    const work = async () => {
      if (busy) return;
      busy = true;
      try {
        for (let event = waiting.shift(); event && !subscriber.closed; event = waiting.shift()) await run.take(event);
      } catch (error) {
        ending = () => run.fail(error);
        waiting.length = 0;
      }
      busy = false;
      ending?.();
    };
    const end = (how: () => void) => {
      ending ??= how;
      if (!busy) ending();
    };
    const subscription = events.subscribe({
      next(event) {
        waiting.push(event);
        void work();
      },
      error: (error) => end(() => run.fail(error)),
      complete: () => end(() => run.complete()),
    });
    return () => {
      subscription.unsubscribe();
      run.leave();
    };
  });
}

class AgentRun implements Asked {
  readonly agent: AbstractAgent;
  readonly input: RunAgentInput;
  readonly #held: ThreadOfAgent;
  readonly #subscribers: readonly AgentSubscriber[];
  readonly #emitted: Subscriber<AgentStateMutation>;
  readonly #signal: AbortSignal | undefined;
  #hasBegun = false;
  #hasEmitted = false;
  #messagesChanged = false;
  #stateChanged = false;

  constructor({ agent, held, input, subscribers, joined }: RunSetting, emitted: Subscriber<AgentStateMutation>) {
    this.agent = agent;
    this.input = input;
    this.#held = held;
    this.#subscribers = subscribers;
    this.#emitted = emitted;
    held.fold.join = joined;
    held.fold.isStopped = false;
    // The calls are this run's own, even if a subscriber stops its RUN_STARTED.
    held.fold.run.begin();
    this.#signal = signalOf(agent);
    held.absorb("edited");
  }

  get messages(): readonly Message[] {
    return this.#held.messages;
  }

  get state(): unknown {
    return this.#held.state;
  }

  setMessages(messages: readonly Message[]): void {
    this.#held.replaceMessages(messages);
    this.#messagesChanged = true;
  }

  setState(state: unknown): void {
    this.#held.replaceState(state);
    this.#stateChanged = true;
  }

  /** Takes an event; at once, if there is no subscriber to wait for. */
  async take(event: BaseEvent): Promise<void> {
    this.#held.absorb("added");
    const answer = this.#ask("onEvent", { event });
    const stopped = answer === false ? false : await answer;
    if (stopped) this.#held.absorb();
    const { debugLogger } = this.agent;
    if (stopped)
      debugLogger?.event("APPLY", "Event dropped:", event, {
        type: event.type,
        reason: "stopPropagation by subscriber",
      });
    else
      debugLogger?.event("APPLY", "Event applied:", event, { type: event.type, subscribers: this.#subscribers.length });
    if (!stopped) await this.#step(event as unknown as FoldedEvent);
    this.#emit();
  }

  /** Takes note that the events failed, or a subscriber did. */
  fail(error: unknown): void {
    breakOff(this.#held.fold, error, this.#hasBegun, this.#signal);
    this.#emitted.error(error);
  }

  /** Takes note that reading ended: a run that has not ended is disconnected, or was stopped. */
  leave(): void {
    const { fold } = this.#held;
    fold.isStopped ||= this.#signal?.aborted === true;
    leave(fold);
  }

  complete(): void {
    this.leave();
    // A caller that waits for the last value of a run gets one.
    if (!this.#hasEmitted && this.#subscribers.length > 0) this.#emitted.next({});
    this.#emitted.complete();
  }

  /** Returns a promise only if there is a subscriber to wait for. */
  #step(event: FoldedEvent): Promise<void> | undefined {
    const { fold } = this.#held;
    const step = stepOf(event);
    // Older versions of the client pass on events that are not folded, such as THINKING_START.
    if (!step) return undefined;
    if (step.alone && !hasHook(this.#subscribers, step.hook)) {
      this.#apply(step, event, false);
      return undefined;
    }
    const told = step.told ? step.told(fold, event) : {};
    if (!told) return undefined;
    const answer = this.#ask(step.hook, withEvent(event, told));
    if (answer !== false) return answer.then((stopped) => this.#apply(step, event, true, stopped));
    this.#apply(step, event, true);
    return undefined;
  }

  /** Folds an event; in one step, if no subscriber was asked. */
  #apply(step: Step<FoldedEvent>, event: FoldedEvent, wasAsked: boolean, stopped = false): void {
    const { fold } = this.#held;
    this.#held.absorb();
    const warning = stopped ? undefined : warningBefore(event, fold);
    if (warning !== undefined) console.warn(warning);
    let change = NOTHING;
    const { refusals } = this.#held;
    this.#hasBegun ||= event.type === "RUN_STARTED";
    const folding = (work: () => void) =>
      event.type === "RUN_STARTED" ? this.#held.beginning(work) : this.#held.folding(work);
    folding(() => {
      const alone = wasAsked ? undefined : step.alone;
      if (!alone) step.always?.(fold, event);
      // The event belongs to its sender and its listeners: only a copy is kept.
      if (!stopped) change = (alone ?? step.apply)?.(fold, copyOfEvent(event)) ?? NOTHING;
    });
    if (!stopped && event.type === "RUN_FINISHED") this.agent.pendingInterrupts = interruptsLeft(event as RunFinished);
    this.#messagesChanged ||= change.messages === true;
    this.#stateChanged ||= change.state === true && this.#held.refusals === refusals;
    this.#announce(change.newMessage || change.newToolCall ? change : (step.announce?.(fold, event) ?? NOTHING));
  }

  /** Announces new messages and calls, without waiting for the subscribers. */
  #announce({ newMessage, newToolCall }: Change): void {
    const method = newMessage ? "onNewMessage" : newToolCall ? "onNewToolCall" : undefined;
    if (!method || !hasHook(this.#subscribers, method)) return;
    const told = newMessage ? { message: newMessage } : { toolCall: newToolCall };
    for (const subscriber of this.#subscribers) void subscriber[method]?.(paramsOf(this, told) as never);
    this.#held.absorb();
  }

  /** Calls the subscribers that have this method, and takes over changes that they make on the agent meanwhile. */
  #ask(method: string, told: object): Promise<boolean> | false {
    if (!hasHook(this.#subscribers, method)) return false;
    return ask(this.#subscribers, method, this, told).then((stopped) => {
      this.#held.absorb("added");
      return stopped;
    });
  }

  #emit(): void {
    if (!this.#messagesChanged && !this.#stateChanged) return;
    const messages = this.#messagesChanged ? this.#held.messagesForAgent() : undefined;
    const state = this.#stateChanged ? this.#held.stateForAgent() : undefined;
    this.#messagesChanged = this.#stateChanged = false;
    this.#hasEmitted = true;
    this.#emitted.next({ ...(messages && { messages }), ...(state !== undefined && { state }) });
    this.#held.given(messages, state);
  }
}

/** Returns the signal that stops a run of an HttpAgent. One that aborted before the run began stopped another run. */
function signalOf(agent: AbstractAgent & { abortController?: AbortController }): AbortSignal | undefined {
  const signal = agent.abortController?.signal;
  return signal?.aborted ? undefined : signal;
}

function withEvent(event: FoldedEvent, told: object): object {
  return Object.defineProperties({ event }, Object.getOwnPropertyDescriptors(told));
}

function interruptsLeft({ outcome }: RunFinished): Interrupt[] {
  return outcome?.type === "interrupt" ? (interruptsOf(outcome.interrupts) as Interrupt[]) : [];
}
