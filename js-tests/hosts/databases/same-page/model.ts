// The model of the agents: its words are those of the test, one by one, also for an instance that asks again.
import { EventEmitter, once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { vi } from "vitest";

interface Answer {
  readonly words: string[];
  isWhole: boolean;
  /** The instance that asked last. */
  instance?: string;
}

export class Model {
  readonly #answers = new Map<string, Answer>();
  readonly #server: Server;
  readonly #heard = new EventEmitter().setMaxListeners(0);

  private constructor() {
    this.#server = createServer(async ({ url }, response) => {
      const asked = new URL(url ?? "", "http://localhost").searchParams;
      const answer = this.#to(asked.get("asked") ?? "");
      answer.instance = asked.get("instance") ?? "";
      const at = Number(asked.get("at"));
      while (at >= answer.words.length && !answer.isWhole && !response.destroyed) await once(this.#heard, "said");
      const word = answer.words[at];
      response.writeHead(word === undefined ? 204 : 200).end(word);
    });
  }

  static async start(): Promise<Model> {
    const model = new Model();
    await new Promise<void>((resolve) => model.#server.listen(0, "127.0.0.1", resolve));
    return model;
  }

  get address(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  #to(asked: string): Answer {
    const answer = this.#answers.get(asked) ?? { words: [], isWhole: false };
    this.#answers.set(asked, answer);
    return answer;
  }

  /** Says one more word in answer to this; without one, the answer is whole. */
  say(asked: string, word?: string): void {
    const answer = this.#to(asked);
    if (word === undefined) answer.isWhole = true;
    else answer.words.push(word);
    this.#heard.emit("said");
  }

  /** Waits until an instance asks for the answer, and returns its name. */
  isAsked(asked: string, timeout: number): Promise<string> {
    return vi.waitFor(
      () => {
        const { instance } = this.#to(asked);
        if (instance === undefined) throw new Error(`Nobody asks the model for an answer to "${asked}".`);
        return instance;
      },
      { timeout },
    );
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}
