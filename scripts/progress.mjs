// Reports on the terminal how long things take.

const started = performance.now();
const seconds = (since) => `${((performance.now() - since) / 1000).toFixed(1)} s`;

/** Runs `work`; prints when it starts, every 15 seconds that it is still running, and how long it took. */
export async function step(title, work) {
  const start = performance.now();
  console.log(`▸ ${title} … [${seconds(started)}]`);
  const beat = setInterval(() => console.log(`  … still: ${title} (${seconds(start)})`), 15_000);
  try {
    const result = await work();
    console.log(`✓ ${title} (${seconds(start)})`);
    return result;
  } catch (error) {
    console.log(`✗ ${title} (${seconds(start)})`);
    throw error;
  } finally {
    clearInterval(beat);
  }
}
