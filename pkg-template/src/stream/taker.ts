/** A server-sent event with its data parsed; `data` is undefined if it came empty. */
export interface SentPart {
  readonly id: string | undefined;
  readonly event: string | undefined;
  readonly data: unknown;
  /** The data as it came. */
  readonly text: string;
}

/** Takes the parts of a stream. Each of the first two methods returns whether it has enough. */
export interface Taker {
  /** Takes a part as the source gave it. */
  take(value: unknown): boolean;
  /** Takes a server-sent event. */
  takeSent(part: SentPart): boolean;
  /** Takes note of a server-sent event whose data is not JSON. */
  refuse(data: string, cause: unknown): void;
  /** Takes note that the end cut an event in two. */
  cut?(): void;
}
