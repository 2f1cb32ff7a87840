// Gives the laws of crates/page/tests/laws.rs the npm package to compare with.

/** Gives the tests in `glue` the npm package, and the number of words to walk. */
export default function prepare(glue, { defineSchema }, runs) {
  const schema = defineSchema.from(glue.Shop);
  globalThis.laws = {
    runs: () => runs,
    say: (text) => console.log(text),
    /** Folds the updates of a word; one that fails changes nothing. Returns the state as JSON. */
    fold(word) {
      let state = schema.initial();
      for (const update of JSON.parse(word)) {
        try {
          state = schema.merge(state, update);
        } catch (error) {
          if (error?.code === undefined) throw error;
        }
      }
      return JSON.stringify(state);
    },
  };
}
