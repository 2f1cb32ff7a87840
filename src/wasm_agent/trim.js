// Whoever is asked about the list that is being trimmed.

let answer;

export function ask(question, first, second, third) {
  return answer(question, first, second, third);
}

/** Has `own` answer while `run` runs. A counter of the caller's may trim a list itself. */
export function answering(own, run) {
  const before = answer;
  answer = own;
  try {
    run();
  } finally {
    answer = before;
  }
}
