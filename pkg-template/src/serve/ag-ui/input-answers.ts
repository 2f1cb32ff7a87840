import { commandOf, type GraphRunInput, type ResumeEntry } from "../../ag-ui/graph/graph-input.js";
import { UNNAMED } from "../late-answers.js";

/** Returns the answers of a request's input; undefined if it has none. */
export function answersOfInput(input: GraphRunInput): readonly ResumeEntry[] | undefined {
  if (input.resume && input.resume.length > 0) return input.resume;
  const payload = commandOf(input);
  return payload === undefined ? undefined : [{ interruptId: UNNAMED, status: "resolved", payload }];
}
