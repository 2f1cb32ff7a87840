/** A random id: a version 4 UUID. Pages without TLS have no `crypto.randomUUID`: `getRandomValues` does, too. */
export { uuid as newId } from "../../generated/heap.js";
