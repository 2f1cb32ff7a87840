// `node js-tests/unit/context/estimate-table.mjs`: how far estimates of tokens are from o200k's number, for each kind of text
// of the corpus.
import { fileURLToPath } from "node:url";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { estimateTokenCount } from "tokenx";
import { corpus } from "./corpus.mjs";

/** The errors of one kind of text, of 1 each: 0.05 is 5 % too many. */
const against = (exact, estimates) => estimates.map((estimate) => estimate / exact - 1);

/**
 * Compares estimates on every kind: `{ kind, characters, tokens, errors }`, with the errors of ours, of a quarter of the
 * characters and of tokenx.
 */
export function estimateErrors(estimateTokens) {
  return Object.entries(corpus).map(([kind, text]) => {
    const tokens = countTokens(text);
    const errors = against(tokens, [estimateTokens(text), text.length / 4, estimateTokenCount(text)]);
    return { kind, characters: text.length, tokens, errors };
  });
}

/** The mean and the largest error of all kinds, for each estimate. */
export const summary = (rows) =>
  [0, 1, 2].map((at) => {
    const errors = rows.map(({ errors }) => Math.abs(errors[at]));
    return { mean: errors.reduce((sum, error) => sum + error, 0) / errors.length, worst: Math.max(...errors) };
  });

const percent = (error) => `${error < 0 ? "−" : "+"}${Math.abs(error * 100).toFixed(1)} %`;
const line = (cells) => `| ${cells.join(" | ")} |`;

/** The errors as a Markdown table. */
export function table(rows) {
  const sums = summary(rows);
  return [
    line(["text", "characters", "o200k tokens", "estimateTokens", "characters / 4", "tokenx"]),
    line(["---", "---", "---", "---", "---", "---"]),
    ...rows.map(({ kind, characters, tokens, errors }) => line([kind, characters, tokens, ...errors.map(percent)])),
    line(["mean", "", "", ...sums.map(({ mean }) => `${(mean * 100).toFixed(1)} %`)]),
    line(["worst", "", "", ...sums.map(({ worst }) => `${(worst * 100).toFixed(1)} %`)]),
  ].join("\n");
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { estimateTokens } = await import("threadfold/context");
  console.log(table(estimateErrors(estimateTokens)));
}
