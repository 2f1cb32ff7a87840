// `node docs/record-demo.mjs ADDRESS`: records the README's picture, docs/demo.webp, from the demo that `npm start` serves there.
// It needs a Chromium, and sharp: `npm install --no-save sharp`.
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import sharp from "sharp";
import { CHROMIUM_FLAGS, findBrowser } from "../scripts/browser.mjs";

const [address] = process.argv.slice(2);
if (!address) throw new Error("Say where the demo is: npm start prints its address.");

/** Between two frames, and for the whole picture, in ms. */
const [STEP, LENGTH] = [150, 8_000];
const LIMIT = 300 * 1024;
const SIZE = { width: 1100, height: 770 };

const browser = await chromium.launch({ executablePath: findBrowser(), args: CHROMIUM_FLAGS });
const page = await browser.newPage({ viewport: SIZE, colorScheme: "light" });
await page.goto(address);
const frames = [];
for (const begun = performance.now(); performance.now() < begun + LENGTH;) {
  const frame = page.screenshot();
  const [png] = await Promise.all([frame, new Promise((resolve) => setTimeout(resolve, STEP))]);
  frames.push(png);
}
await browser.close();

const smaller = await Promise.all(frames.map((png) => sharp(png).resize({ width: 880 }).png().toBuffer()));
const delay = smaller.map(() => STEP);
delay[delay.length - 1] = 3_000;
const picture = await sharp(smaller, { join: { animated: true } })
  .webp({ quality: 60, effort: 6, delay, loop: 0 })
  .toBuffer();
if (picture.length > LIMIT)
  throw new Error(`The picture has ${picture.length} bytes: shorten it, at most ${LIMIT} are wanted.`);
writeFileSync(fileURLToPath(new URL("demo.webp", import.meta.url)), picture);
console.log(`docs/demo.webp: ${frames.length} frames, ${picture.length} bytes`);
