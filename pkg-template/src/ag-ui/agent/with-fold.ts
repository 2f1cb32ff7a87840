import type {
  AbstractAgent,
  AgentStateMutation,
  AgentSubscriber,
  BaseEvent,
  Message,
  RunAgentInput,
  RunAgentParameters,
  State,
} from "@ag-ui/client";
import type { Observable } from "rxjs";
import { ThreadfoldError } from "../../shared/errors.js";
import { applied } from "./agent-run.js";
import { type AgentThread, ThreadOfAgent } from "./agent-thread.js";

/** The members that {@link withFold} adds to an agent. */
export interface FoldedAgent {
  /** The conversation, to subscribe to, for `useThread` and for optimistic updates. */
  readonly thread: AgentThread;
}

// oxlint-disable-next-line typescript/no-explicit-any -- TypeScript requires it of a mixin's constructor
type AgentClass = abstract new (...args: any[]) => AbstractAgent;
// oxlint-disable-next-line typescript/no-explicit-any -- the same
type FoldedClass = abstract new (...args: any[]) => FoldedAgent;

/** Made at the first need, also for what AbstractAgent's `clone` makes without a constructor. */
const threads = new WeakMap<AbstractAgent, ThreadOfAgent>();
/** The agents that are joining a run which they did not start. */
const joining = new WeakSet<AbstractAgent>();

function threadOf(agent: AbstractAgent): ThreadOfAgent {
  let held = threads.get(agent);
  if (!held) threads.set(agent, (held = new ThreadOfAgent(agent)));
  return held;
}

/**
 * Returns a class of agents that folds the events of its runs into a thread, instead of copying all messages for every
 * event.
 *
 * Use it like the class that you gave: it has the same subscribers, hooks and mutations, and the same `messages` and
 * `state`. It improves on that class: a token costs the same however long the conversation is. An unchanged message
 * stays the same object. Messages and state that you add or set during a run stay. A run that is sent again does not
 * appear twice. Events before an error of the stream are not lost. Messages follow the order of the server's snapshot.
 *
 * Messages, and values in the state, are shared with the thread. They are replaced, not changed in place; development
 * builds freeze them. Ids are unique: the second of two messages with one id gets another. A message that a failed run
 * broke off is shown, but not sent with the next run. Neither is a failed optimistic update, until you retry it.
 *
 * @throws {@link ThreadfoldError} `INVALID_ARGUMENT` for a class with an `apply` of its own: that is the method that folds.
 *   Extend the folded class instead, `class Mine extends withFold(HttpAgent)`, and call `super.apply`.
 *
 * @example
 * ```ts
 * import { HttpAgent } from "@ag-ui/client";
 * import { withFold } from "threadfold/ag-ui/client";
 *
 * class MyAgent extends HttpAgent {}
 *
 * const agent = new (withFold(MyAgent))({ url: "https://example.com/agent" });
 * agent.thread.subscribe(({ messages }) => console.log(messages.length));
 * await agent.runAgent();
 * ```
 */
export function withFold<C extends AgentClass>(Agent: C): C & FoldedClass {
  if (isFolded(Agent)) return Agent;
  checkFoldable(Agent);
  abstract class Folded extends Agent implements FoldedAgent {
    get thread(): AgentThread {
      const held = threadOf(this);
      held.absorb("edited");
      return held.thread;
    }

    override async connectAgent(
      ...args: Parameters<AbstractAgent["connectAgent"]>
    ): ReturnType<AbstractAgent["connectAgent"]> {
      joining.add(this);
      try {
        return await super.connectAgent(...args);
      } finally {
        joining.delete(this);
      }
    }

    protected override apply(
      input: RunAgentInput,
      events: Observable<BaseEvent>,
      subscribers: AgentSubscriber[],
    ): Observable<AgentStateMutation> {
      return applied(events, { agent: this, held: threadOf(this), input, subscribers, joined: joining.has(this) });
    }

    override abortRun(): void {
      const held = threads.get(this);
      if (held) held.fold.isStopped = true;
      super.abortRun();
    }

    // Sends pending updates, but neither failed ones nor messages that a failed run broke off.
    protected override prepareRunAgentInput(parameters?: RunAgentParameters): RunAgentInput {
      const { incompleteIds: streaming } = this.thread;
      const input = { ...super.prepareRunAgentInput(parameters), ...threadOf(this).unfailed };
      return streaming.length === 0
        ? input
        : { ...input, messages: input.messages.filter(({ id }) => !streaming.includes(id)) };
    }

    // The thread shows at once what you set between runs; what you only push to the array, at the next event or look.
    override addMessage(message: Message): void {
      super.addMessage(message);
      threads.get(this)?.absorb();
    }

    override addMessages(messages: Message[]): void {
      super.addMessages(messages);
      threads.get(this)?.absorb();
    }

    override setMessages(messages: Message[]): void {
      super.setMessages(messages);
      threads.get(this)?.absorb();
    }

    override setState(state: State): void {
      super.setState(state);
      threads.get(this)?.absorb();
    }
  }
  folded.add(Folded);
  return Folded;
}

/** The classes that fold already. */
const folded = new WeakSet<object>();

function isFolded<C extends AgentClass>(Agent: C): Agent is C & FoldedClass {
  for (let one: unknown = Agent; typeof one === "function"; one = Object.getPrototypeOf(one))
    if (folded.has(one)) return true;
  return false;
}

/**
 * Throws for a class with an `apply` of its own: folding replaces AbstractAgent's `apply`, so it would never be called.
 */
function checkFoldable(Agent: AgentClass): void {
  if (
    typeof Agent !== "function" ||
    typeof (Agent.prototype as { apply?: unknown } | undefined)?.apply !== "function"
  ) {
    throw new ThreadfoldError(
      "INVALID_ARGUMENT",
      "withFold takes a class of agents, such as HttpAgent of @ag-ui/client.",
    );
  }
  const own: string[] = [];
  for (
    let one: AgentClass = Agent;
    typeof one === "function" && one.prototype;
    one = Object.getPrototypeOf(one) as AgentClass
  ) {
    if (Object.hasOwn(one.prototype, "apply")) own.push(one.name || "the class");
  }
  // The last is AbstractAgent's.
  if (own.length > 1) {
    throw new ThreadfoldError(
      "INVALID_ARGUMENT",
      `withFold cannot fold ${own[0]}: it has an apply() of its own, and that is what folds. Extend the folded class instead: class Mine extends withFold(HttpAgent).`,
    );
  }
}
