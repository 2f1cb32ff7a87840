import { httpTransport, type AgUiTransport } from "threadfold/ag-ui";

/** The transport to a server that keeps no runs, and that is asked for its capabilities all the same. */
export function askingTransport(
  url: string,
  fetch: (url: string | URL | Request, init?: RequestInit) => Promise<Response>,
): AgUiTransport {
  const { run } = httpTransport({ url, fetch });
  return { run, capabilities: httpTransport({ url, fetch, resumable: true }).capabilities };
}
