// Serves this folder; any other server of files does as well.
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";

const TYPES = { ".html": "text/html", ".js": "text/javascript" };

createServer(async ({ url }, response) => {
  const path = normalize(new URL(url, "http://localhost").pathname);
  try {
    const file = await readFile(join(import.meta.dirname, path.endsWith("/") ? `${path}index.html` : path));
    response.writeHead(200, { "content-type": TYPES[extname(path)] ?? "text/html" }).end(file);
  } catch {
    response.writeHead(404).end();
  }
}).listen(Number(process.env.PORT ?? 3000));
