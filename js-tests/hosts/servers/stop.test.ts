// Started servers are stopped, also when the process that started them is killed.
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { startAgUi } from "./start.mjs";

const answers = (url: string) =>
  fetch(`${url}/ok`).then(
    ({ ok }) => ok,
    () => false,
  );

test("a server that is stopped answers no more", async () => {
  const server = await startAgUi();
  expect(await answers(server.url)).toBe(true);
  await server.stop();
  expect(await answers(server.url)).toBe(false);
});

test("a server does not outlive the process that started it", async () => {
  const start = JSON.stringify(fileURLToPath(new URL("start.mjs", import.meta.url)));
  const program = `const { startAgUi } = await import(${start}); console.log((await startAgUi()).url);`;
  const child = spawn(process.execPath, ["--input-type=module", "--eval", program], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const url = await new Promise<string>((resolve) =>
    child.stdout.setEncoding("utf8").once("data", (text) => resolve(String(text).trim())),
  );
  expect(await answers(url)).toBe(true);
  child.kill("SIGKILL");
  await expect.poll(() => answers(url), { timeout: 10_000 }).toBe(false);
});
