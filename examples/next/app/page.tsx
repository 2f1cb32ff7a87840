// A server component: folds what is stored into the state that the page starts with.
import { addMessages, type AgUiMessage } from "threadfold";
import { Chat } from "./chat";

interface Props {
  searchParams: Promise<{ thread?: string }>;
}

export default async function Page({ searchParams }: Props) {
  const { thread: threadId = crypto.randomUUID() } = await searchParams;
  return <Chat threadId={threadId} messages={await history(threadId)} />;
}

/** Your database's answer in an app of yours. */
async function history(threadId: string): Promise<AgUiMessage[]> {
  const stored: AgUiMessage[] = [{ id: `${threadId}-hello`, role: "assistant", content: "Hello!" }];
  return addMessages(stored, { id: `${threadId}-hello`, role: "assistant", content: "Ask me about the weather." });
}
