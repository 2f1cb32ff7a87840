// The limit: the text of one element grows, and nobody keeps a state.
import { open as openThread } from "./threadfold.mjs";

export async function open(n) {
  const { List, say } = await openThread(n);
  let text;
  return {
    List,
    async say() {
      if (text) text.data += " token";
      else {
        await say();
        await new Promise((resolve) => setTimeout(resolve, 100));
        text = [...document.querySelectorAll("p")].at(-1).firstChild;
      }
    },
  };
}
