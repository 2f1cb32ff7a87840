// The thread's branches as assistant-ui's repository, for its BranchPicker: the messages shown, and a stand-in for each
// other branch. A switch loads that one.
import type { ThreadMessage } from "@assistant-ui/react";
import { useMemo } from "react";
import { useBranches } from "threadfold/react";
import { agent } from "./agent.js";

export function useBranchRepository(shown: readonly ThreadMessage[]) {
  const branches = useBranches(agent);
  return useMemo(() => {
    const messages: { message: ThreadMessage; parentId: string | null }[] = [];
    /** By assistant-ui's ids: the messages' own, and the branches of the stand-ins. */
    const ids = new Map<string, string>();
    const others = new Map<string, string>();
    let headId: string | null = null;
    let before = "";
    for (const message of shown) {
      const { ids: all, current } = branches.get(message.id) ?? { ids: [""], current: 0 };
      const parentId = headId;
      for (const [at, branch] of all.entries()) {
        // An edited message keeps its id, and siblings need one each.
        const id = all.length > 1 ? `${before}>${at}` : message.id;
        messages.push({ message: { ...message, id }, parentId });
        if (at === current) ids.set((headId = id), message.id);
        else others.set(id, branch);
      }
      before = message.id;
    }
    return {
      messageRepository: { headId, messages },
      idOf: (id: string | null) => (id === null ? undefined : ids.get(id)),
      switchTo: (list: readonly ThreadMessage[]) => {
        const branch = others.get(list.at(-1)?.id ?? "");
        if (branch) void agent.switchBranch(branch);
      },
    };
  }, [shown, branches]);
}
