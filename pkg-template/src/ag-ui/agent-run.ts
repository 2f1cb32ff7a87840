// One run of an agent: its events folded into the agent's thread, its subscribers asked on the way.
import type { AbstractAgent, AgentStateMutation, AgentSubscriber, BaseEvent, Interrupt, Message, RunAgentInput } from "@ag-ui/client";
import type { Observable, Subscriber } from "rxjs";
import type { ThreadOfAgent } from "./agent-thread.js";
import type { FoldedEvent, RunFinished } from "./event-types.js";
import { stepOf } from "./events.js";
import { type Change, NOTHING, type Step } from "./fold.js";
import { interruptsOf } from "./runs.js";
import { ask, type Asked, hasHook, paramsOf } from "./subscribers.js";

/** What a run is told by its agent. */
export interface RunSetting {
  readonly agent: AbstractAgent;
  readonly held: ThreadOfAgent;
  readonly input: RunAgentInput;
  readonly subscribers: readonly AgentSubscriber[];
  /** Whether the agent has joined runs that others started: then each goes by the id in its events. */
  readonly joined: boolean;
}

/**
 * What `apply` of an agent gives: for each event that changes something the agent's new messages or state. The events
 * are taken one after the other, however fast they come; when their stream fails, those before are folded first.
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
        ending = () => subscriber.error(error);
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
      error: (error) => end(() => subscriber.error(error)),
      complete: () => end(() => run.complete()),
    });
    return () => subscription.unsubscribe();
  });
}

/** The class that the agent's copy of RxJS calls Observable, found from one of them: RxJS is nobody's to install. */
function observableClass(events: Observable<BaseEvent>): typeof Observable {
  let found = events.constructor as typeof Observable;
  for (let above = Object.getPrototypeOf(found); above !== Function.prototype; above = Object.getPrototypeOf(found)) {
    found = above as typeof Observable;
  }
  return found;
}

class AgentRun implements Asked {
  readonly agent: AbstractAgent;
  readonly input: RunAgentInput;
  readonly #held: ThreadOfAgent;
  readonly #subscribers: readonly AgentSubscriber[];
  readonly #emitted: Subscriber<AgentStateMutation>;
  #hasEmitted = false;
  #messagesChanged = false;
  #stateChanged = false;

  constructor({ agent, held, input, subscribers, joined }: RunSetting, emitted: Subscriber<AgentStateMutation>) {
    this.agent = agent;
    this.input = input;
    this.#held = held;
    this.#subscribers = subscribers;
    this.#emitted = emitted;
    // A server may give every run the same id. A run that this agent started is told apart by its own.
    held.fold.runId = (told) => (!joined && told === held.thread.run.id ? input.runId : told);
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

  /** Takes an event; at once, when there is nobody to wait for. */
  async take(event: BaseEvent): Promise<void> {
    this.#held.absorb("added");
    const answer = this.#ask("onEvent", { event });
    const stopped = answer === false ? false : await answer;
    if (stopped) this.#held.absorb();
    const { debugLogger } = this.agent;
    if (stopped) debugLogger?.event("APPLY", "Event dropped:", event, { type: event.type, reason: "stopPropagation by subscriber" });
    else debugLogger?.event("APPLY", "Event applied:", event, { type: event.type, subscribers: this.#subscribers.length });
    const announced = stopped ? undefined : this.#step(event as unknown as FoldedEvent);
    if (announced) await announced;
    this.#emit();
  }

  complete(): void {
    // Whoever waits for the last value of a run is to get one.
    if (!this.#hasEmitted && this.#subscribers.length > 0) this.#emitted.next({});
    this.#emitted.complete();
  }

  #step(event: FoldedEvent): Promise<void> | undefined {
    const { fold } = this.#held;
    const step = stepOf(event);
    if (!step) throw new Error(`${event.type} is to be expanded or dropped before it is applied.`);
    const told = step.told ? step.told(fold, event) : {};
    if (!told) return undefined;
    const answer = this.#ask(step.hook, withEvent(event, told));
    return answer === false ? this.#apply(step, event, false) : answer.then((stopped) => this.#apply(step, event, stopped));
  }

  #apply(step: Step<FoldedEvent>, event: FoldedEvent, stopped: boolean): Promise<void> | undefined {
    const { fold } = this.#held;
    this.#held.absorb();
    let change = NOTHING;
    this.#held.folding(() => {
      step.always?.(fold, event);
      if (!stopped && step.apply) change = step.apply(fold, event, undefined);
    });
    if (!stopped && event.type === "RUN_FINISHED") this.agent.pendingInterrupts = interruptsLeft(event as RunFinished);
    this.#messagesChanged ||= change.messages === true;
    this.#stateChanged ||= change.state === true;
    return this.#announce(change.newMessage || change.newToolCall ? change : (step.announce?.(fold, event) ?? NOTHING));
  }

  #announce({ newMessage, newToolCall }: Change): Promise<void> | undefined {
    const method = newMessage ? "onNewMessage" : newToolCall ? "onNewToolCall" : undefined;
    if (!method || !hasHook(this.#subscribers, method)) return undefined;
    const told = newMessage ? { message: newMessage } : { toolCall: newToolCall };
    const answers = this.#subscribers.map((subscriber) => subscriber[method]?.(paramsOf(this, told) as never));
    return Promise.all(answers).then(() => this.#held.absorb());
  }

  /** Asks the subscribers that want to know; what they set on the agent meanwhile is taken over. */
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

function withEvent(event: FoldedEvent, told: object): object {
  return Object.defineProperties({ event }, Object.getOwnPropertyDescriptors(told));
}

function interruptsLeft({ outcome }: RunFinished): Interrupt[] {
  return outcome?.type === "interrupt" ? (interruptsOf(outcome.interrupts) as Interrupt[]) : [];
}
