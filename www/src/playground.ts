// "Try it": a function, its arguments as JSON, and its answer as one types.
import { copyFrom, element, setText } from "./dom";
import { EXAMPLES, FUNCTIONS, type Try } from "./tries";
import { readLink, writeLink } from "./link";
import { isObject } from "./state";

export function createPlayground(host: HTMLElement): void {
  const name = element(
    "select",
    { id: "try-name", "aria-label": "Function" },
    ...Object.keys(FUNCTIONS).map((key) => element("option", { value: key }, key)),
  );
  const option = element("select", { id: "try-option" });
  const optionLabel = element("label", { class: "option", for: "try-option" });
  const share = element("button", { type: "button", class: "quiet" }, "Copy link");
  const fields = [0, 1, 2].map((index) => {
    const text = element("textarea", {
      id: `try-${index}`,
      rows: 9,
      spellcheck: "false",
      autocomplete: "off",
      autocapitalize: "off",
    });
    const label = element("label", { for: text.id });
    return { text, label, group: element("div", { class: "argument" }, label, text) };
  });
  const answer = element("pre", { id: "try-answer", tabindex: 0, "aria-label": "Answer" });
  const note = element("p", { id: "try-note", role: "status" });
  const result = element("div", { class: "answer" }, element("h3", {}, "Answer"), answer, note);
  const examples = EXAMPLES.map(({ title, ...example }) => {
    const button = element("button", { type: "button", class: "chip" }, title);
    button.addEventListener("click", () => fill(example));
    return button;
  });

  host.append(
    element("div", { class: "chips", role: "group", "aria-label": "Examples" }, ...examples),
    element("div", { class: "controls" }, name, optionLabel, option, share),
    element("div", { class: "arguments" }, ...fields.map(({ group }) => group), result),
  );

  const chosen = () => FUNCTIONS[name.value] ?? FUNCTIONS["addMessages"];
  const current = (): Try => ({
    name: name.value,
    option: option.value,
    args: fields.slice(0, chosen()?.args.length).map(({ text }) => text.value),
  });

  /** The arguments and options that the chosen function has. */
  function shape(): void {
    const { args = [], options, optionName = "" } = chosen() ?? {};
    for (const [index, { label, group }] of fields.entries()) {
      group.hidden = index >= args.length;
      setText(label, args[index] ?? "");
    }
    option.replaceChildren(...(options ?? []).map((value) => element("option", { value }, value)));
    option.hidden = optionLabel.hidden = !options;
    setText(optionLabel, optionName);
    host.dataset["arguments"] = String(args.length);
  }

  function fill(example: Try): void {
    name.value = example.name in FUNCTIONS ? example.name : "addMessages";
    shape();
    for (const [index, { text }] of fields.entries()) text.value = example.args[index] ?? "";
    if (example.option) option.value = example.option;
    evaluate();
    writeLink(current());
  }

  function evaluate(): void {
    const args: unknown[] = [];
    for (const { text, label } of fields.slice(0, chosen()?.args.length)) {
      try {
        args.push(JSON.parse(text.value));
        text.removeAttribute("aria-invalid");
      } catch (error) {
        text.setAttribute("aria-invalid", "true");
        return complain("", `${label.textContent} is not JSON yet: ${(error as Error).message}`);
      }
    }
    try {
      const value = chosen()?.call(args as never, option.value as never);
      result.classList.remove("failed");
      setText(answer, JSON.stringify(value, undefined, 2) ?? "undefined");
      setText(note, describeIdentity(args[0], value));
    } catch (error) {
      const code = isObject(error) && "code" in error ? String(error["code"]) : "";
      complain(code, error instanceof Error ? error.message : String(error));
    }
  }

  function complain(code: string, sentence: string): void {
    result.classList.add("failed");
    answer.replaceChildren(...(code ? [element("b", { class: "code" }, code), "\n"] : []), sentence);
    setText(note, code ? "A ThreadfoldError. The inputs are untouched." : "");
  }

  let waiting: number | undefined;
  function edited(): void {
    evaluate();
    clearTimeout(waiting);
    waiting = window.setTimeout(() => writeLink(current()), 300);
  }
  name.addEventListener("change", () => {
    const first = EXAMPLES.find((example) => example.name === name.value);
    if (first) fill(first);
  });
  option.addEventListener("change", edited);
  for (const { text } of fields) text.addEventListener("input", edited);
  share.addEventListener("click", () => {
    writeLink(current());
    void copyFrom(share, location.href);
  });
  window.addEventListener("hashchange", () => {
    const linked = readLink();
    if (linked) fill(linked);
  });

  const linked = readLink();
  const [start] = EXAMPLES;
  fields.forEach(({ text }, index) => {
    text.value = (linked ?? start)?.args[index] ?? "";
  });
  name.value = linked?.name ?? start?.name ?? name.value;
  shape();
  if (linked?.option) option.value = linked.option;
  evaluate();
  if (linked) requestAnimationFrame(() => host.scrollIntoView({ block: "center" }));
}

/** Says which parts of the answer are the very objects of the left argument. */
function describeIdentity(left: unknown, value: unknown): string {
  if (left === value) return "Nothing changed: the answer is the left argument itself.";
  if (!isObject(left) || !isObject(value)) return "";
  const before = new Set(Object.values(left).filter(isObject));
  const parts = Object.values(value).filter(isObject);
  const kept = parts.filter((part) => before.has(part)).length;
  if (parts.length === 0) return "";
  return `${kept} of ${parts.length} objects in the answer are the left argument's own (===).`;
}
