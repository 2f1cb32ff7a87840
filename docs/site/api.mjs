// A page for each entry of the package, with all its public names.
import { readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { Application, Comment, Converter, ReflectionKind } from "typedoc";

const docs = fileURLToPath(new URL("..", import.meta.url));
const entries = join(docs, "..", "pkg-template", "src", "entries");

/** An entry's page has the name that the entry is imported by, and begins with its file's first comment. */
function introduce(module, path) {
  const name = relative(entries, path).replaceAll("\\", "/").replace(/\.ts$/, "");
  module.name = name === "index" ? "threadfold" : `threadfold/${name}`;
  const comment = /^\/\/ "[^"]*": ((?:.*\n\/\/ )*.*)$/m.exec(readFileSync(path, "utf8"))?.[1];
  if (!comment) throw new Error(`${path} has no comment that says what "${module.name}" is.`);
  const said = comment.replaceAll("\n// ", " ");
  module.comment = new Comment([{ kind: "text", text: said.replace(/^./, (first) => first.toUpperCase()) }]);
}

/** After the links are resolved: modules are found by the names that TypeDoc gives them. */
const LAST = -10_000;

/** Reads the entries, and writes their pages into a folder. A complaint of TypeDoc is an error. */
export async function api(folder) {
  const app = await Application.bootstrapWithPlugins({
    options: join(docs, "typedoc.json"),
    ...(folder && {
      plugin: ["typedoc-plugin-markdown"],
      outputs: [{ name: "markdown", path: folder }],
      router: "module",
      entryFileName: "index",
      hideBreadcrumbs: true,
      hidePageHeader: true,
      useCodeBlocks: true,
    }),
  });
  app.converter.on(
    Converter.EVENT_RESOLVE_END,
    ({ project }) => {
      for (const module of project.getReflectionsByKind(ReflectionKind.Module)) {
        const path = project.files.getReflectionPath(module) ?? module.sources?.[0]?.fullFileName;
        if (!path) throw new Error(`TypeDoc does not say where ${module.name} is from.`);
        introduce(module, path);
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
  if (project && folder) await app.generateOutputs(project);
  if (!project || app.logger.hasErrors() || app.logger.hasWarnings()) throw new Error("TypeDoc complains: see above.");
}
