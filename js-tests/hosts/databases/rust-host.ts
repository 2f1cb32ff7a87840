// The Rust program that runs the graphs of the hand-over tests (crates/checkpoint/examples/handover.rs).
import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { target } from "../../../scripts/rust.mjs";
import type { Any, Spec } from "./rust-graphs.js";

/** One call of a graph. */
export interface RustCall {
  readonly database: string;
  readonly schema?: string;
  readonly thread: string;
  readonly spec: Spec;
  readonly input?: object | undefined;
  readonly answers?: readonly (readonly [id: string, value: unknown])[];
  readonly at?: string;
  readonly fails?: boolean;
  readonly delta?: number;
  readonly deletes?: boolean;
  readonly lists?: boolean;
}

export class RustHost {
  readonly #child: ChildProcess;
  readonly #lines: AsyncIterator<string>;

  constructor() {
    const program = join(target, "debug", "examples", "handover");
    this.#child = spawn(program, { stdio: ["pipe", "pipe", "inherit"] });
    this.#lines = createInterface({ input: this.#child.stdout as NodeJS.ReadableStream })[Symbol.asyncIterator]();
  }

  /** Runs a graph to its end, a question, a breakpoint or an error. */
  async call(call: RustCall): Promise<Any> {
    this.#child.stdin?.write(`${JSON.stringify({ answers: [], fails: false, ...call })}\n`);
    const { value, done } = await this.#lines.next();
    if (done) throw new Error("The Rust program has ended.");
    return JSON.parse(value);
  }

  stop(): void {
    this.#child.stdin?.end();
  }
}
