import { openAgUi } from "threadfold/ag-ui";

// The agent of `npx threadfold agent`: the address of yours goes here. It is `resumable` if it keeps its runs.
export const agent = openAgUi({ url: "http://localhost:8000/agent", resumable: true });
