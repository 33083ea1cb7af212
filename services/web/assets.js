// The scripts of this build that the page starts by itself when it needs them.  Their names change with their
// bytes, so index.html says them; nothing else may become a script (Trusted Types).

/** @param {string} name */
function pathOf(name) {
  return document.querySelector(`meta[name="poise-${name}"]`)?.getAttribute("content") ?? "";
}

/** @param {string} name */
export function hasScript(name) {
  return pathOf(name) !== "";
}

const policy = /** @type {any} */ (window).trustedTypes?.createPolicy("poise", { createScriptURL: pathOf });

/** For what takes the address of a script. @param {string} name @returns {any} */
export function scriptUrl(name) {
  return policy ? policy.createScriptURL(name) : pathOf(name);
}

/** The page opens without a network from here on; by plain HTTP browsers have no such thing. */
export function startWorker() {
  navigator.serviceWorker?.register(scriptUrl("worker"), { scope: "/", updateViaCache: "all" }).catch(() => {});
}
