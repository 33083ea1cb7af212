// Server-sent events out of the body of a response (the HTML standard, 9.2.6): EventSource itself
// can neither POST nor send a header.

/**
 * What stands between two blank lines; a comment alone is no event.
 * @param {string} block
 */
function parse(block) {
  const data = [];
  let event = "message";

  for (const line of block.split("\n")) {
    const colon = line.indexOf(":");
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");

    if (name === "event") event = value;
    else if (name === "data") data.push(value);
  }
  return data.length > 0 ? { event, data: data.join("\n") } : null;
}

/**
 * Ends where the stream ends; throws where the connection does.
 * @param {ReadableStream<Uint8Array>} stream
 * @param {() => void} onBytes called for all that comes, comments too
 * @returns {AsyncGenerator<{ event: string, data: any }>}
 */
export async function* readEvents(stream, onBytes) {
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  let text = "";

  for (;;) {
    const { done, value } = await reader.read();

    if (done) return;
    onBytes();
    text = (text + decoder.decode(value, { stream: true })).replace(/\r\n?/g, "\n");
    for (let end = text.indexOf("\n\n"); end >= 0; end = text.indexOf("\n\n")) {
      const found = parse(text.slice(0, end));

      text = text.slice(end + 2);
      if (found) yield { event: found.event, data: JSON.parse(found.data) };
    }
  }
}
