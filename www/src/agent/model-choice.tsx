// Which model answers: the script, or one at an address.
import { useState, type FormEvent } from "react";
import { useModel as answerWith } from "./graph";
import { remoteModel } from "./remote-model";

export function ModelChoice() {
  const [told, setTold] = useState("A script answers, in this page.");
  const choose = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const field = (name: string) => String(form.get(name) ?? "").trim();
    const address = field("address");
    if (address === "") {
      answerWith();
      return setTold("A script answers, in this page.");
    }
    const model = field("model");
    answerWith(remoteModel({ address, model, key: field("key") }));
    setTold(`${model} at ${address} answers.`);
  };
  return (
    <details className="model-choice">
      <summary>{told}</summary>
      <form onSubmit={choose}>
        <div className="field">
          <label htmlFor="model-address">Base URL</label>
          <input id="model-address" name="address" type="url" placeholder="http://localhost:11434/v1" />
        </div>
        <div className="field">
          <label htmlFor="model-name">Model</label>
          <input id="model-name" name="model" placeholder="llama3.2" autoComplete="off" />
        </div>
        <div className="field">
          <label htmlFor="model-key">Key</label>
          <input id="model-key" name="key" type="password" autoComplete="off" placeholder="none for a local model" />
        </div>
        <button type="submit">Use it</button>
        <p className="small">
          Anything that speaks OpenAI’s chat completions. The key stays in this page’s memory, and goes to that address
          alone.
        </p>
      </form>
    </details>
  );
}
