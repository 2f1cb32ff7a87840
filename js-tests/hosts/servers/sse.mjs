// Server-sent events, by the letter of the standard as far as the two servers use it.

/**
 * The parts of a stream, each as it is complete.
 * @param {Response} response
 * @returns {AsyncGenerator<{ id?: string, event?: string, data: string }>}
 */
export async function* parts(response) {
  if (!response.ok || !response.body)
    throw new Error(`${response.url} answers ${response.status}: ${await response.text()}`);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let buffer = "";
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      buffer += value;
      for (let end = boundary(buffer); end; end = boundary(buffer)) {
        const part = parse(buffer.slice(0, end.index));
        buffer = buffer.slice(end.index + end[0].length);
        if (part) yield part;
      }
    }
  } finally {
    // A reader that stops closes the connection.
    await reader.cancel().catch(() => {});
  }
}

const boundary = (text) => /\r?\n\r?\n/.exec(text);

function parse(block) {
  const part = {};
  for (const line of block.split(/\r?\n/)) {
    const [, field, value] = /^(id|event|data): ?(.*)$/s.exec(line) ?? [];
    if (field === "data") part.data = part.data === undefined ? value : `${part.data}\n${value}`;
    else if (field) part[field] = value;
  }
  return part.data === undefined ? undefined : part;
}
