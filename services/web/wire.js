// One request to the service, and what comes back: always an envelope, or `connection` where nothing
// came.

/** @typedef {import("./types.js").Result} Result */

/** A v4 UUID.  crypto.randomUUID() is missing where the page came by plain HTTP. */
export function uuid() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));

  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");

  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}

/**
 * @param {string | null} requestId
 * @returns {Result}
 */
export function connectionLost(requestId) {
  return {
    data: null,
    failure: { stage: "connection", code: "connection_lost", message: "", retryable: true, requestId, retryAfterS: 0, details: null },
    requestId,
    isReplay: false,
  };
}

/**
 * @param {any} envelope parsed, or null where it is none
 * @param {Headers | null} headers
 * @returns {Result}
 */
export function readEnvelope(envelope, headers) {
  const requestId = envelope?.request_id ?? headers?.get("X-Request-ID") ?? null;

  if (!envelope || (!envelope.data && !envelope.error)) return connectionLost(requestId);
  if (envelope.data) return { data: envelope.data, failure: null, requestId, isReplay: headers?.get("Idempotent-Replayed") === "true" };
  return {
    data: null,
    failure: {
      stage: envelope.error.stage,
      code: envelope.error.code,
      message: envelope.error.message_safe,
      retryable: envelope.error.retryable,
      requestId,
      retryAfterS: Number(headers?.get("Retry-After") ?? 0) || 0,
      details: envelope.error.details,
    },
    requestId,
    isReplay: headers?.get("Idempotent-Replayed") === "true",
  };
}

/**
 * A fetch with the headers of a client of Poise.  Throws what fetch() throws.
 * @param {string} method
 * @param {string} path
 * @param {{ token?: string, json?: any, body?: BodyInit, key?: string, accept?: string, signal?: AbortSignal, requestId?: string }} [options]
 */
export function send(method, path, options = {}) {
  const headers = new Headers({ "X-Request-ID": options.requestId ?? uuid() });
  let body = options.body;

  if (options.token) headers.set("Authorization", `Bearer ${options.token}`);
  if (options.key) headers.set("Idempotency-Key", options.key);
  if (options.accept) headers.set("Accept", options.accept);
  if (options.json !== undefined) {
    headers.set("Content-Type", "application/json");
    body = JSON.stringify(options.json);
  }
  return fetch(path, { method, headers, body, signal: options.signal, cache: "no-store", credentials: "omit" });
}

/**
 * The same, read to its end.  Never throws, but where it was cancelled.
 * @param {string} method
 * @param {string} path
 * @param {Parameters<typeof send>[2]} [options]
 * @returns {Promise<Result>}
 */
export async function call(method, path, options = {}) {
  const requestId = uuid();

  try {
    const response = await send(method, path, { ...options, requestId });

    return readEnvelope(await response.json().catch(() => null), response.headers);
  } catch (error) {
    options.signal?.throwIfAborted();
    return connectionLost(requestId);
  }
}
