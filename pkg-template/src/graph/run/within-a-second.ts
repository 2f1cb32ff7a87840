/** Waits for work, but for a second at most. */
export async function withinASecond(work: PromiseLike<void> | undefined): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const over = new Promise<void>((resolve) => (timer = setTimeout(resolve, 1000)));
  await Promise.race([work, over]).finally(() => clearTimeout(timer));
}
