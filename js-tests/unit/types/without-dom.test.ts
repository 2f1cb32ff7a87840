// The declarations need no DOM: a Node program that checks them, too, compiles.
import { expect, test } from "vitest";
import { CHECKING, complaints } from "./compiler.js";

const program = (url: string) => `
import { Thread, type AgUiState } from "threadfold";
import { init } from "threadfold/slim";
import { AgUiRunner } from "threadfold/ag-ui";
import "threadfold/context";
import "threadfold/langgraph";
import "threadfold/persist";

const headers = new Headers({ a: "b" });
export const runners = [headers, { a: "b" }, [["a", "b"]] as const, async () => headers].map(
  (headers) => new AgUiRunner(new Thread<AgUiState>(), { url: ${url}, headers, credentials: "include" }),
);
init(new Uint8Array());
export const loaded: Promise<void> = init("https://cdn.example/threadfold_bg.wasm");
`;

const compiled = (code: string) => complaints({ "main.ts": code }, { ...CHECKING, lib: ["es2023"] });

test("a program without the types of the DOM compiles", () => {
  expect(compiled(program('"/agent"'))).toBe("");
  expect(compiled(program("5"))).toMatch(/^\S*main\.ts\(\d+,\d+\): error TS2322/);
}, 60_000);
