// The service worker: the page opens without a network.  It keeps the files of one build, whose names change
// with their bytes; the page itself is asked for each time, and the kept one is shown where no answer comes.
// What the service says is never kept.

/** Put in by page.cmake: the page, and what it is made of. */
const FILES = "@FILES@".split(" ");
const CACHE = `poise ${FILES.join(" ")}`;

/** A network that is there and says nothing is none. */
const PATIENCE_MS = 3000;

async function keep() {
  const cache = await caches.open(CACHE);

  await cache.addAll(FILES);
}

async function dropOthers() {
  for (const name of await caches.keys()) {
    if (name !== CACHE) await caches.delete(name);
  }
}

/** @param {Request} request */
async function page(request) {
  const kept = caches.match("/");
  const fresh = fetch(request);
  const late = new Promise((resolve) => setTimeout(resolve, PATIENCE_MS));

  try {
    return (await Promise.race([fresh, late])) ?? (await kept) ?? fresh;
  } catch {
    return (await kept) ?? Response.error();
  }
}

/** @param {Request} request */
async function file(request) {
  return (await caches.match(request)) ?? fetch(request);
}

addEventListener("install", (/** @type {any} */ event) => event.waitUntil(keep().then(() => /** @type {any} */ (self).skipWaiting())));
addEventListener("activate", (/** @type {any} */ event) => event.waitUntil(dropOthers()));
addEventListener("fetch", (/** @type {any} */ event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);

  if (request.method !== "GET" || origin !== location.origin) return;
  if (request.mode === "navigate" && pathname === "/") event.respondWith(page(request));
  else if (pathname.startsWith("/web/")) event.respondWith(file(request));
});
