// The thread in wasm answers as the native one does, which is held to the contract's model. Both get random long words
// and every word of up to three letters, or four where THREADFOLD_THOROUGH is 1, as in CI. THREADFOLD_LETTERS=5 tries
// those of five. tests/contract/answers.json has one number for all views.
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { isThorough } from "../../support/seed.js";
import { ALL, FIELDS, MESSAGES, shown, STREAM, streamOf, Word } from "./alphabet.js";

interface Answer {
  words: number;
  digest: string;
}
const path = new URL("../../../tests/contract/answers.json", import.meta.url);
const answers = JSON.parse(readFileSync(path, "utf8")) as Record<string, Answer>;

/** Every word of up to this length is tried. */
const LENGTH = Number(process.env["THREADFOLD_LETTERS"]) || (isThorough() ? 4 : 3);
const LONG = 1_200_000;

/** FNV-1a over the views, continuing from the last. */
function digested(before: number, text: string): number {
  let hash = before ^ 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}

const hexadecimal = (digest: number) => digest.toString(16).padStart(8, "0");

/** Says every word of up to so many letters. */
function everyWord(letters: readonly ((word: Word) => void)[], length = LENGTH, look = shown): Answer {
  let words = 0;
  let digest = 0;
  const path: number[] = [];
  const longer = () => {
    for (let letter = 0; letter < letters.length; letter++) {
      path.push(letter);
      using word = new Word();
      for (const at of path) letters[at]?.(word);
      digest = digested(digest, look(word));
      words++;
      if (path.length < length) longer();
      path.pop();
    }
  };
  longer();
  return { words, digest: hexadecimal(digest) };
}

test("every word about messages is answered as natively", { timeout: LONG }, () => {
  expect(everyWord(MESSAGES)).toEqual(answers[`messages, ${LENGTH} letters`]);
});

test("every word about fields is answered as natively", { timeout: LONG }, () => {
  expect(everyWord(FIELDS)).toEqual(answers[`fields, ${LENGTH} letters`]);
});

test("every word about a stream is answered as natively", { timeout: LONG }, () => {
  const look = (word: Word) => shown(word) + streamOf(word);
  expect(everyWord(STREAM, 3, look)).toEqual(answers["stream, 3 letters"]);
});

test("random words are answered as natively", { timeout: LONG }, () => {
  const words = isThorough() ? 2_000 : 500;
  let digest = 0;
  for (let run = 0; run < words; run++) {
    const random = randomFrom(BigInt(run) ^ BigInt.asUintN(64, 7n * 0x9e3779b97f4a7c15n));
    using word = new Word();
    for (let left = 2 + random(39); left > 0; left--) {
      // The draw comes before the letter, as there.
      ALL[random(ALL.length)]?.(word);
      digest = digested(digest, shown(word));
    }
  }
  expect({ words, digest: hexadecimal(digest) }).toEqual(answers[`random, ${words} words`]);
});

/** Numbers below a bound from a seed: splitmix64. */
function randomFrom(seed: bigint): (bound: number) => number {
  let state = seed;
  return (bound) => {
    state = BigInt.asUintN(64, state + 0x9e3779b97f4a7c15n);
    let mixed = state;
    mixed = BigInt.asUintN(64, (mixed ^ (mixed >> 30n)) * 0xbf58476d1ce4e5b9n);
    mixed = BigInt.asUintN(64, (mixed ^ (mixed >> 27n)) * 0x94d049bb133111ebn);
    return Number((mixed ^ (mixed >> 31n)) % BigInt(bound));
  };
}
