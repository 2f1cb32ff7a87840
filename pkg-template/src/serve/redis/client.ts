// The user's own client of Redis: `redis` 5 or `ioredis`, by what it can do.
import { ThreadfoldError } from "../../shared/errors.js";

/** As much of a client of `redis` 5 as is used. */
export interface NodeRedisClient {
  sendCommand(args: string[]): Promise<unknown>;
  duplicate(): NodeRedisSubscriber;
}

interface NodeRedisSubscriber {
  connect(): Promise<unknown>;
  subscribe(channel: string, listener: (message: string) => void): Promise<unknown>;
  unsubscribe(channel: string): Promise<unknown>;
  on(event: string, listener: (...args: unknown[]) => void): unknown;
  destroy(): void;
}

/** As much of a client of `ioredis` as is used. */
export interface IoRedisClient {
  call(command: string, ...args: string[]): Promise<unknown>;
  duplicate(): IoRedisSubscriber;
}

interface IoRedisSubscriber {
  subscribe(channel: string): Promise<unknown>;
  unsubscribe(channel: string): Promise<unknown>;
  on(event: string, listener: (...args: unknown[]) => void): unknown;
  disconnect(): void;
}

/** A client of `redis` 5 or of `ioredis`, connected. */
export type RedisClient = NodeRedisClient | IoRedisClient;

/** Sends commands. */
export type SendCommand = (args: string[]) => Promise<unknown>;

/** A connection that listens to channels. */
export interface Subscriber {
  subscribe(channel: string): Promise<unknown>;
  unsubscribe(channel: string): Promise<unknown>;
  close(): void;
}

/** @throws {@link ThreadfoldError} `INVALID_ARGUMENT` for another client. */
export function commandsOf(client: unknown): SendCommand {
  const { sendCommand, call } = (client ?? {}) as Partial<NodeRedisClient & IoRedisClient>;
  // A client of ioredis has a sendCommand, too, of another kind.
  if (typeof call === "function") return ([name = "", ...args]) => call.call(client, name, ...args);
  if (typeof sendCommand === "function") return (args) => sendCommand.call(client, args);
  throw new ThreadfoldError("INVALID_ARGUMENT", "new RedisRuns: expected client to be one of redis 5 or of ioredis.");
}

/**
 * Opens one more connection, as the client's own.
 *
 * @param heard - Called with each message.
 * @param ready - Called when the connection is there again: messages were missed.
 */
export async function subscriberOf(
  client: RedisClient,
  heard: (channel: string, message: string) => void,
  ready: () => void,
): Promise<Subscriber> {
  if ("call" in client) {
    const own = client.duplicate();
    // Without a listener its errors would end the program. It connects again by itself.
    own.on("error", () => {});
    own.on("ready", ready);
    own.on("message", heard as (...args: unknown[]) => void);
    return {
      subscribe: (channel) => own.subscribe(channel),
      unsubscribe: (channel) => own.unsubscribe(channel),
      close: () => own.disconnect(),
    };
  }
  const own = client.duplicate();
  own.on("error", () => {});
  own.on("ready", ready);
  await own.connect();
  return {
    subscribe: (channel) => own.subscribe(channel, (message) => heard(channel, message)),
    unsubscribe: (channel) => own.unsubscribe(channel),
    close: () => own.destroy(),
  };
}
