// Schemas: by fields, by updates, by keys that they do not know.
import { combineSchemas, defineSchema, field, Thread } from "threadfold";
import { times } from "./lists.js";
import type { Case } from "./measure.js";

const fields = (n: number, make: (at: number) => unknown = () => field.replace()) =>
  Object.fromEntries(times(n, (at) => [`f${at}`, make(at)])) as never;
const values = (n: number, value: (at: number) => unknown = (at) => at) =>
  Object.fromEntries(times(n, (at) => [`f${at}`, value(at)])) as never;

export const schemas: Case[] = [
  { name: "defineSchema: n fields", prepare: (n) => () => defineSchema(fields(n)).dispose() },
  {
    name: "combineSchemas: two of n fields",
    prepare: (n) => {
      const [a, b] = [defineSchema(fields(n)), defineSchema(fields(n))];
      return () => combineSchemas(a, b).dispose();
    },
  },
  {
    name: "combineSchemas: n of one field",
    prepare: (n) => {
      const all = times(n, (at) => defineSchema({ [`f${at}`]: field.replace() }));
      return () => (combineSchemas as (...all: unknown[]) => { dispose: () => void })(...all).dispose();
    },
  },
  {
    name: "schema.initial: n fields",
    prepare: (n) => {
      const schema = defineSchema(fields(n, () => field.append()));
      return () => schema.initial();
    },
  },
  {
    name: "schema.merge: n fields",
    prepare: (n) => {
      const schema = defineSchema(fields(n));
      return () => schema.merge({}, values(n));
    },
  },
  {
    name: "schema.merge: n fields of user's reducers that call the core",
    prepare: (n) => {
      const other = defineSchema({ log: field.append() });
      const schema = defineSchema(
        fields(n, () => field.reducer((_: unknown, update: unknown) => other.merge({ log: [] }, { log: [update] }))),
      );
      return () => schema.merge({}, values(n));
    },
  },
  {
    name: "schema.merge: n updates of one of n fields",
    prepare: (n) => {
      const schema = defineSchema({ log: field.merge(), topic: field.replace() });
      return () => {
        let state: object = {};
        for (let at = 0; at < n; at++) state = schema.merge(state as never, { topic: at } as never);
        return state;
      };
    },
  },
  {
    name: "schema.step: n fields",
    prepare: (n) => {
      const schema = defineSchema(fields(n));
      return () => schema.step({}, [values(n)]);
    },
  },
  {
    name: "schema.step: n writers of n fields, one each",
    prepare: (n) => {
      const schema = defineSchema(fields(n));
      return () => schema.step({}, times(n, (at) => ({ [`f${at}`]: at })) as never);
    },
  },
  ...Object.entries<(at: number) => object>({
    merge: (at: number) => ({ merge: { [`k${at}`]: at } }),
    messages: (at: number) => ({ messages: [{ type: "ai", id: `m${at}`, content: "" }] }),
    tools: (at: number) => ({ tools: [{ name: `t${at}` }] }),
    log: (at: number) => ({ log: [at] }),
    files: (at: number) => ({ files: { [`/${at}`]: { content: "" } } }),
  }).map(([name, write]): Case => ({
    name: `schema.step: n writers of one field, ${name}`,
    from: 2000,
    prepare: (n) => {
      const schema = defineSchema({
        messages: field.messages(),
        tools: field.tools(),
        log: field.append(),
        merge: field.merge(),
        files: field.files(),
      });
      const writes = times(n, write) as never;
      return () => schema.step({}, writes);
    },
  })),
  {
    name: "schema.step: n ephemeral fields cleared",
    prepare: (n) => {
      const schema = defineSchema(fields(n, () => field.ephemeral()));
      return () => schema.step(values(n), []);
    },
  },
  {
    name: "schema.input: n fields",
    prepare: (n) => {
      const schema = defineSchema(fields(n));
      return () => schema.input(values(n));
    },
  },
  {
    name: "schema.input: n keys that it does not know",
    prepare: (n) => {
      const schema = defineSchema({ topic: field.replace() });
      return () => schema.input(values(n));
    },
  },
  {
    name: "schema.output: n private fields",
    prepare: (n) => {
      const schema = defineSchema(fields(n, () => field.replace({ private: true })));
      return () => schema.output(values(n));
    },
  },
  {
    name: "schema.checkpoint: n untracked fields",
    prepare: (n) => {
      const schema = defineSchema(fields(n, () => field.untracked()));
      return () => schema.checkpoint(values(n));
    },
  },
  {
    name: "new Thread: a schema of n fields",
    prepare: (n) => {
      const schema = defineSchema(fields(n));
      return () => new Thread({ schema, values: values(n) } as never).dispose();
    },
  },
];
