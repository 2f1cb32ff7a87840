import { subscriberOf, type RedisClient, type Subscriber } from "./client.js";

/** Hears the messages of one channel. */
export interface Listener {
  heard(message: string): void;
  /** Messages may be missing. */
  missed(): void;
}

interface Channel {
  readonly listeners: Set<Listener>;
  readonly subscribed: Promise<unknown>;
}

/** Listens to channels, all over one connection, which is opened when it is first needed. */
export class Channels {
  readonly #client: RedisClient;
  readonly #channels = new Map<string, Channel>();
  /** Channels that the connection leaves: a client of `redis` 5 forgets a listener that it is given meanwhile. */
  readonly #leaving = new Map<string, Promise<unknown>>();
  #subscriber: Promise<Subscriber> | undefined;

  constructor(client: RedisClient) {
    this.#client = client;
  }

  /** Resolves once no later message is missed. */
  async listen(name: string, listener: Listener): Promise<void> {
    let channel = this.#channels.get(name);
    if (!channel) {
      channel = { listeners: new Set(), subscribed: this.#subscribe(name) };
      this.#channels.set(name, channel);
    }
    channel.listeners.add(listener);
    await channel.subscribed;
  }

  async leave(name: string, listener: Listener): Promise<void> {
    const channel = this.#channels.get(name);
    if (!channel?.listeners.delete(listener) || channel.listeners.size > 0) return;
    this.#channels.delete(name);
    // A connection that is closed has left all its channels.
    const left = channel.subscribed
      .then(async () => (await this.#subscriber)?.unsubscribe(name))
      .catch(() => {})
      .finally(() => {
        if (this.#leaving.get(name) === left) this.#leaving.delete(name);
      });
    this.#leaving.set(name, left);
    await left;
  }

  async close(): Promise<void> {
    const subscriber = this.#subscriber;
    this.#subscriber = undefined;
    this.#channels.clear();
    (await subscriber)?.close();
  }

  async #subscribe(name: string): Promise<void> {
    const subscriber = await this.#open();
    await this.#leaving.get(name);
    await subscriber.subscribe(name);
  }

  #open(): Promise<Subscriber> {
    return (this.#subscriber ??= subscriberOf(
      this.#client,
      (name, message) => {
        for (const listener of this.#channels.get(name)?.listeners ?? []) listener.heard(message);
      },
      () => {
        for (const { listeners } of this.#channels.values()) for (const listener of listeners) listener.missed();
      },
    ));
  }
}
