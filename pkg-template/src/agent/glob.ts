// Which paths a pattern like `src/**/*.{ts,tsx}` names.

/**
 * Reads a pattern, as ripgrep's `--glob` does: one without a slash names files in any folder, `**` any number of folders; a
 * name that begins with a dot is only found by a pattern that does. Undefined for a pattern that leaves its folder.
 */
export function globOf(pattern: string): ((path: string) => boolean) | undefined {
  if (pattern.split("\\").join("/").split("/").includes("..")) return undefined;
  const bare = pattern.replace(/^\/+/, "");
  const all = braces(bare).map((one) => new RegExp(`^${expression(one)}$`, "su"));
  const anchored = pattern.includes("/");
  return (path) => {
    const name = anchored ? path : path.slice(path.lastIndexOf("/") + 1);
    return all.some((one) => one.test(name));
  };
}

/** A pattern for each choice of `{a,b}`. At most a thousand. */
function braces(pattern: string): string[] {
  const found = /^(.*?)\{([^{}]*,[^{}]*)\}(.*)$/s.exec(pattern);
  if (!found) return [pattern];
  const [, before = "", choices = "", after = ""] = found;
  return choices
    .split(",")
    .flatMap((choice) => braces(before + choice + after))
    .slice(0, 1000);
}

const NO_DOT = "(?!\\.)";
/** Folders that `**` goes into: none whose name begins with a dot. */
const FOLDERS = `(?:${NO_DOT}[^/]+/)*`;

function expression(pattern: string): string {
  const names = pattern.split("/");
  return names
    .map((name, at) => {
      const last = at === names.length - 1;
      if (name === "**") return last ? `${FOLDERS}${NO_DOT}[^/]+` : FOLDERS;
      const text = [...name.matchAll(/\*+|\?|\[(?:!|\^)?\]?[^\]/]*\]|./gsu)].map(([piece]) => part(piece)).join("");
      const open = /^[*?[]/.test(name) ? `${NO_DOT}(?=[^/])` : "";
      return `${open}${text}${last ? "" : "/"}`;
    })
    .join("");
}

function part(piece: string): string {
  if (piece.startsWith("*")) return "[^/]*";
  if (piece === "?") return "[^/]";
  if (piece.length > 1) return `[${piece.slice(1, -1).replace(/^[!^]/, "^").replace(/[\\[]/g, "\\$&")}]`;
  return piece.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
}
