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
  #subscriber: Promise<Subscriber> | undefined;

  constructor(client: RedisClient) {
    this.#client = client;
  }

  /** Resolves once no later message is missed. */
  async listen(name: string, listener: Listener): Promise<void> {
    let channel = this.#channels.get(name);
    if (!channel) {
      channel = { listeners: new Set(), subscribed: this.#open().then((subscriber) => subscriber.subscribe(name)) };
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
    await (await this.#subscriber)?.unsubscribe(name).catch(() => {});
  }

  async close(): Promise<void> {
    const subscriber = this.#subscriber;
    this.#subscriber = undefined;
    this.#channels.clear();
    (await subscriber)?.close();
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
