// React in jsdom: a component put on the page, and React's complaints meanwhile.
import { act, type ReactNode } from "react";
import { createRoot, hydrateRoot, type Root } from "react-dom/client";
import { afterEach, beforeEach, expect, vi } from "vitest";

(globalThis as { IS_REACT_ACT_ENVIRONMENT?: boolean }).IS_REACT_ACT_ENVIRONMENT = true;

export interface Mounted {
  readonly host: HTMLElement;
  readonly root: Root;
}

export async function mount(node: ReactNode): Promise<Mounted> {
  const host = document.createElement("div");
  const root = createRoot(host);
  await act(async () => root.render(node));
  return { host, root };
}

/** Waits until `check` passes. React renders when an `act` ends, so each look has one of its own. */
export const until = (check: () => void): Promise<void> =>
  vi.waitFor(
    async () => {
      await act(async () => {});
      check();
    },
    { timeout: 5_000 },
  );

/** Takes over HTML that a server has written; the errors are React's repairs. */
export async function hydrate(html: string, node: ReactNode): Promise<Mounted & { errors: unknown[] }> {
  const host = document.createElement("div");
  host.innerHTML = html;
  const errors: unknown[] = [];
  const root = await act(async () => hydrateRoot(host, node, { onRecoverableError: (error) => errors.push(error) }));
  return { host, root, errors };
}

/** React's console messages when something is wrong: it warns of loops and of snapshots that are not cached. */
export function complaints(): unknown[][] {
  const error = vi.spyOn(console, "error").mockImplementation(() => {});
  return error.mock.calls;
}

/** Fails each test of the file in which React complains. */
export function expectNoComplaints(): void {
  let seen: unknown[][];
  beforeEach(() => {
    seen = complaints();
  });
  afterEach(() => {
    expect(seen).toEqual([]);
    vi.restoreAllMocks();
  });
}
