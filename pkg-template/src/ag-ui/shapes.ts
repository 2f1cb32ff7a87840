// The shapes that an event's fields need for it to be folded.
import { isDict } from "../shared/dict.js";

export type Check = (value: unknown) => boolean;

/**
 * The checks of an event's fields, by name. Fields that are not listed may be anything: a newer server may send more.
 */
export type Shape = Readonly<Record<string, Check>>;

export const text: Check = (value) => typeof value === "string";
export const list: Check = (value) => Array.isArray(value);
export const areObjects: Check = (value) => Array.isArray(value) && value.every(isDict);
export const given: Check = (value) => value !== undefined;
export const absentOr =
  (check: Check): Check =>
  (value) =>
    value === undefined || value === null || check(value);
export const maybeText = absentOr(text);
export const messages: Check = (value) => Array.isArray(value) && value.every(isMessage);

function isMessage(value: unknown): boolean {
  if (!isDict(value) || typeof value["id"] !== "string" || typeof value["role"] !== "string") return false;
  const calls = value["toolCalls"];
  return calls === undefined || calls === null || (Array.isArray(calls) && calls.every(isToolCall));
}

function isToolCall(value: unknown): boolean {
  if (!isDict(value) || typeof value["id"] !== "string") return false;
  const called = value["function"];
  return isDict(called) && typeof called["name"] === "string" && typeof called["arguments"] === "string";
}
