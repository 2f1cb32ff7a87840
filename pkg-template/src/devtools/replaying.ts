// Threads that a replay makes are not the page's: devtools pass over them.
let depth = 0;

export function replaying<T>(replay: () => T): T {
  depth++;
  try {
    return replay();
  } finally {
    depth--;
  }
}

export const isReplaying = (): boolean => depth > 0;
