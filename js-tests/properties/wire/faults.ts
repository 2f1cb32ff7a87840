// The connection's faults: what of a run's parts a reader gets, in which readings.
import type { Fault } from "./specs.js";
import type { Part } from "./server.js";

/** One reading of a stream. */
export interface Delivery {
  readonly parts: readonly Part[];
  /** Whether the connection breaks after them. */
  readonly isCut: boolean;
  readonly join?: boolean;
}

export function delivered(parts: readonly Part[], fault: Fault, random: () => number): Delivery[] {
  const whole: Delivery = { parts, isCut: false };
  // The first part is the run's id: without it nothing was answered.
  const place = (at: number) => Math.min(parts.length - 1, 1 + Math.floor(at * (parts.length - 1)));
  switch (fault.kind) {
    case "none":
      return [whole];
    case "doubled":
      return [{ ...whole, parts: parts.flatMap((part) => (random() < fault.share ? [part, part] : [part])) }];
    case "again": {
      const cut = fault.at === 1 ? parts.length : place(fault.at);
      return [{ parts: parts.slice(0, cut), isCut: cut < parts.length }, whole];
    }
    case "joined": {
      const cut = place(fault.at);
      return [
        { parts: parts.slice(0, cut), isCut: true },
        { parts: parts.slice(cut), isCut: false, join: true },
      ];
    }
    case "joined-less": {
      const cut = place(fault.at);
      return [
        { parts: parts.slice(0, cut), isCut: true },
        { parts: parts.slice(cut + fault.lost), isCut: false, join: true },
      ];
    }
    case "left":
      return [{ parts: parts.slice(0, place(fault.at)), isCut: true }];
    case "lost": {
      // A connection that loses its end is cut.
      const from = place(fault.at);
      const lost = Math.min(fault.lost, parts.length - 1 - from);
      return [{ ...whole, parts: lost > 0 ? parts.toSpliced(from, lost) : parts }];
    }
    case "swapped": {
      const at = place(fault.at);
      const [one, two] = [parts[at], parts[at + 1]];
      return [{ ...whole, parts: one && two ? parts.toSpliced(at, 2, two, one) : parts }];
    }
  }
}
