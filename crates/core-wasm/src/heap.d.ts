/** Returns a copy of an object or a list. One of an instance keeps its class. */
export function copyOf<T extends object>(node: T): T;
/** Sets a value of a node that was made here, and the one that `@langchain/core`'s instances keep of it. */
export function set<T extends object>(node: T, key: string, value: unknown): T;
/** A random id: a version 4 UUID. */
export function uuid(): string;
