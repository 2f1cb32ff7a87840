// `npm run docs`: pages of the README, of this folder and of every public name, for the demo site, which serves them at
// /docs/. With `--check` nothing is written: what TypeDoc complains of, such as a link that leads nowhere, is an error.
import { readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { Application, Comment, Converter, ReflectionKind } from "typedoc";

const here = fileURLToPath(new URL(".", import.meta.url));
const entries = join(here, "..", "pkg-template", "src", "entries");

/** An entry's page has the name that the entry is imported by, and begins with its file's first comment. */
function introduce(module, path) {
  const name = relative(entries, path).replaceAll("\\", "/").replace(/\.ts$/, "");
  module.name = name === "index" ? "threadfold" : `threadfold/${name}`;
  const comment = /^\/\/ "[^"]*": ((?:.*\n\/\/ )*.*)$/m.exec(readFileSync(path, "utf8"))?.[1];
  if (!comment) throw new Error(`${path} has no comment that says what "${module.name}" is.`);
  const said = comment.replaceAll("\n// ", " ");
  module.comment = new Comment([{ kind: "text", text: said.replace(/^./, (first) => first.toUpperCase()) }]);
}

/** A page has the name of its heading. */
function entitle(document, path) {
  document.name = /^# (.*)$/m.exec(readFileSync(path, "utf8"))?.[1] ?? document.name;
}

/** After the links are resolved: modules are found by the names that TypeDoc gives them. */
const LAST = -10_000;

const app = await Application.bootstrapWithPlugins({ options: join(here, "typedoc.json") });
app.converter.on(
  Converter.EVENT_RESOLVE_END,
  ({ project }) => {
    for (const reflection of project.getReflectionsByKind(ReflectionKind.Module | ReflectionKind.Document)) {
      const path = project.files.getReflectionPath(reflection) ?? reflection.sources?.[0]?.fullFileName;
      if (!path) throw new Error(`TypeDoc does not say where ${reflection.name} is from.`);
      if (reflection.isDocument()) entitle(reflection, path);
      else introduce(reflection, path);
    }
  },
  LAST,
);

// A source knows what it imports by "threadfold" as an alias, which TypeDoc does not follow from a comment to its page.
app.converter.addUnknownSymbolResolver(({ symbolReference }, from, link) => {
  if (!link) return undefined;
  const names = symbolReference?.path?.map(({ path }) => path) ?? [];
  for (const module of from.project.children ?? []) {
    const target = module.getChildByName(names);
    if (target && !target.isReference()) return { target };
  }
  return undefined;
});

const project = await app.convert();
if (project) app.validate(project);
if (!project || app.logger.hasErrors() || app.logger.hasWarnings()) process.exit(1);
if (!process.argv.includes("--check")) await app.generateOutputs(project);
