// @vitest-environment jsdom
// The hook itself, on the smallest store that it works with.
import { act, createElement as h, StrictMode } from "react";
import { expect, test } from "vitest";
import { useThread } from "threadfold/react";
import { expectNoComplaints, mount } from "./mount";

interface State {
  readonly title: string;
  readonly items: readonly { readonly id: string }[];
}

class Store {
  #state: State = { title: "one", items: [{ id: "a" }] };
  readonly #initial = this.#state;
  readonly listeners = new Set<() => void>();

  getState = () => this.#state;
  getInitialState = () => this.#initial;
  subscribe = (listener: () => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  set(part: Partial<State>): void {
    this.#state = { ...this.#state, ...part };
    for (const listener of this.listeners) listener();
  }
}

expectNoComplaints();

test("the whole state, and every change of it", async () => {
  const store = new Store();
  const seen: State[] = [];
  const Whole = () => {
    const state = useThread(store);
    seen.push(state);
    return h("p", {}, state.title);
  };
  const { host, root } = await mount(h(Whole));
  await act(async () => store.set({ title: "two" }));
  expect(host.textContent).toBe("two");
  expect(seen).toHaveLength(2);
  expect(seen[1]).toBe(store.getState());
  await act(async () => root.unmount());
  expect(store.listeners.size).toBe(0);
});

test("a part renders when that part changes, not when another does", async () => {
  const store = new Store();
  let renders = 0;
  const Title = () => {
    renders++;
    return h(
      "p",
      {},
      useThread(store, (state) => state.title),
    );
  };
  const { host } = await mount(h(Title));
  await act(async () => store.set({ items: [] }));
  expect(renders).toBe(1);
  await act(async () => store.set({ title: "two" }));
  expect(renders).toBe(2);
  expect(host.textContent).toBe("two");
});

test("a selector that makes a new object for each call does not loop", async () => {
  const store = new Store();
  let renders = 0;
  const Ids = () => {
    renders++;
    return h("p", {}, useThread(store, (state) => ({ ids: state.items.map(({ id }) => id) })).ids.join());
  };
  const { host } = await mount(h(StrictMode, {}, h(Ids)));
  const mounting = renders;
  expect(mounting).toBeLessThan(5);
  await act(async () => store.set({ items: [{ id: "a" }, { id: "b" }] }));
  expect(host.textContent).toBe("a,b");
  expect(renders - mounting).toBeLessThanOrEqual(2);
});

test("with isEqual, an equal selection is no change and keeps its identity, for any render", async () => {
  const store = new Store();
  const seen = new Set<readonly string[]>();
  let renders = 0;
  const same = (a: readonly string[], b: readonly string[]) => a.join() === b.join();
  const Ids = ({ mark }: { mark: string }) => {
    renders++;
    const ids = useThread(store, (state) => state.items.map(({ id }) => id), same);
    seen.add(ids);
    return h("p", {}, mark, ids.join());
  };
  const { host, root } = await mount(h(Ids, { mark: "1:" }));
  await act(async () => store.set({ title: "two" }));
  await act(async () => store.set({ items: [{ id: "a" }] }));
  expect(renders).toBe(1);
  await act(async () => root.render(h(Ids, { mark: "2:" })));
  expect(host.textContent).toBe("2:a");
  expect(renders).toBe(2);
  expect(seen.size).toBe(1);
  await act(async () => store.set({ items: [{ id: "b" }] }));
  expect(host.textContent).toBe("2:b");
  expect(seen.size).toBe(2);
});

test("a selector that uses props answers for the props of this render", async () => {
  const store = new Store();
  store.set({ items: [{ id: "a" }, { id: "b" }] });
  const Item = ({ at }: { at: number }) =>
    h(
      "p",
      {},
      useThread(store, (state) => state.items[at]?.id),
    );
  const { host, root } = await mount(h(Item, { at: 0 }));
  expect(host.textContent).toBe("a");
  await act(async () => root.render(h(Item, { at: 1 })));
  expect(host.textContent).toBe("b");
});

test("another thread is listened to, and the old one no longer", async () => {
  const [old, fresh] = [new Store(), new Store()];
  fresh.set({ title: "fresh" });
  const Title = ({ store }: { store: Store }) =>
    h(
      "p",
      {},
      useThread(store, (state) => state.title),
    );
  const { host, root } = await mount(h(Title, { store: old }));
  await act(async () => root.render(h(Title, { store: fresh })));
  expect(host.textContent).toBe("fresh");
  expect([old.listeners.size, fresh.listeners.size]).toEqual([0, 1]);
  await act(async () => fresh.set({ title: "later" }));
  expect(host.textContent).toBe("later");
});
