// An audit as a page: one file, without a script.
import type { Audit } from "./audit.js";
import { sectionsOf, size } from "./audit-lines.js";

export function auditPage(audit: Audit, name: string): string {
  const largest = Math.max(1, ...audit.kinds.map(({ bytes }) => bytes));
  const bars = audit.kinds.map(
    ({ kind, count, bytes }) =>
      `<tr><th>${escaped(kind)}</th><td>${count}</td><td>${size(bytes)}</td><td><i style="width:${((100 * bytes) / largest).toFixed(1)}%"></i></td></tr>`,
  );
  const sections = sectionsOf(audit).map(
    ({ title, lines }) =>
      `<h2>${escaped(title)}</h2>\n<ul>${lines.map((line) => `<li>${escaped(line.trim())}</li>`).join("\n")}</ul>`,
  );
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${escaped(name)}: an audit</title>
<style>
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { max-width: 48rem; margin: 2rem auto; padding: 0 1rem; overflow-wrap: anywhere; }
table { width: 100%; border-spacing: 0 4px; }
th { text-align: start; font-weight: normal; }
td { text-align: end; padding-inline-start: 1rem; white-space: nowrap; }
td:last-child { width: 40%; text-align: start; }
i { display: block; height: 1em; background: #4f6df5; border-radius: 3px; }
</style>
<h1>${escaped(name)}</h1>
${sections.join("\n")}
<h2>Events</h2>
<table>${bars.join("\n")}</table>
</html>
`;
}

const escaped = (text: string): string => text.replace(/[&<>"]/g, (one) => `&#${one.charCodeAt(0)};`);
