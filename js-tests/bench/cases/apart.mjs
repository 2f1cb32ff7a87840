// Cases in a process of their own: other cases' imports, and their effect on the compiled code, would be measured, too.
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";

/** The results of a file's `costs(quick, wanted)`, where `wanted(name)` is whether a name has `only` in it. */
export function costsApart(file, quick, only = "") {
  const program = `
    import { costs } from "./${file}";
    console.log(JSON.stringify(await costs(${quick}, (name) => name.includes(${JSON.stringify(only)}))));
  `;
  const output = execFileSync(process.execPath, ["--expose-gc", "--input-type=module", "-e", program], {
    cwd: fileURLToPath(new URL(".", import.meta.url)),
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });
  return JSON.parse(output);
}
