// All messages render for each token.
import { useThread } from "threadfold/react";
import { folded } from "../folded.mjs";
import { listOf } from "../lists.mjs";

export const open = (n) => folded(n, (thread) => listOf(() => useThread(thread).messages));
