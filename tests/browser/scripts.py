"""What the tests run inside of the page."""

# Resolves as soon as the condition holds; one that throws, or whose promise fails, does not yet.
UNTIL = """(async () => {
  const change = () => new Promise(go => {
    const seen = () => { watch.disconnect(); go() };
    const watch = new MutationObserver(seen);
    watch.observe(document, {subtree: true, childList: true, attributes: true, characterData: true});
    requestAnimationFrame(seen);
  });
  for (;;) {
    try {
      const value = await (%s);
      if (value) return value;
    } catch {}
    await change();
  }
})()"""

# A page may move between the look and the press.  What then hits another element than the one aimed
# at is kept from the page, and pressed again.
AIM = """(() => {
  window.aim = null, window.isHit = true, window.isClicked = false;
  const meets = target => aim.contains(target) || target.closest?.("label")?.control === aim;
  const watch = event => {
    if (!aim) return;
    if (event.type === "pointerdown") isHit = meets(event.target), isClicked = false;
    if (event.type === "click" && event.pointerType) isClicked ||= isHit && meets(event.target);
    if (!isHit) event.stopImmediatePropagation(), event.preventDefault();
  };
  for (const name of ["pointerdown", "mousedown", "touchstart", "pointerup", "mouseup", "touchend",
    "click"]) window.addEventListener(name, watch, {capture: true, passive: false});
})()"""

# Where to press an element: in its middle, once it has come to rest and nothing lies over it.
PLACE = """(() => {
  const found = [...document.querySelectorAll(%s)].filter(each => each.checkVisibility(
    {visibilityProperty: true}));
  if (found.length !== 1 || found[0].disabled) return null;
  const element = found[0];
  const box = element.getBoundingClientRect();
  if (box.top < 0 || box.bottom > innerHeight) element.scrollIntoView({block: "center"});
  const now = element.getBoundingClientRect();
  const before = element.placeBefore;
  element.placeBefore = now;
  if (!before || before.x !== now.x || before.y !== now.y) return null;
  aim = element;
  const x = now.x + now.width / 2, y = now.y + now.height / 2;
  const top = document.elementFromPoint(x, y);
  const isFree = top && (element.contains(top) || top.closest("label")?.control === element);
  if (!isFree) element.scrollIntoView({block: "center"}); // out from below the talk button's bar
  return isFree && {x, y};
})()"""

# Keeps what the page reads of streams: Chromium itself often forgets the body of one, which it takes
# for cancelled where the reader sees the end before the network does.
STREAMED = """(() => {
  const read = ReadableStreamDefaultReader.prototype.read, decoder = new TextDecoder();
  window.streamed = "";
  ReadableStreamDefaultReader.prototype.read = function () {
    const piece = read.call(this);
    piece.then(({value}) => { if (value instanceof Uint8Array) streamed += decoder.decode(value) }, () => {});
    return piece;
  };
})()"""

# All that this browser keeps, as JSON.
STORED = """(async () => {
  const asked = request => new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
  const stored = [Object.entries(localStorage), Object.entries(sessionStorage)];
  for (const {name} of await indexedDB.databases()) {
    const database = await asked(indexedDB.open(name));
    for (const store of database.objectStoreNames)
      stored.push(await asked(database.transaction(store).objectStore(store).getAll()));
    database.close();
  }
  return JSON.stringify(stored);
})()"""

# Timers of a second and more wait for advance().
HELD_CLOCK = """(() => {
  const {setTimeout: set, clearTimeout: clear} = window;
  let held = [];
  window.setTimeout = (act, ms, ...rest) => {
    if (ms < 1000) return set(act, ms, ...rest);
    held.push({id: -held.length - 1, ms, act: () => act(...rest)});
    return held.at(-1).id;
  };
  window.clearTimeout = id => { if (id < 0) held[-id - 1].ms = null; else clear(id) };
  window.advance = ms => {
    const due = held.filter(each => each.ms === ms);
    for (const each of due) { each.ms = null; each.act() }
    return due.length;
  };
})()"""

# Remembers what was ever played; SOUNDING is how much of it sounds now.
PLAYED = """
window.played = new Set();
const play = HTMLMediaElement.prototype.play;
HTMLMediaElement.prototype.play = function () { played.add(this); return play.call(this) };
"""
SOUNDING = "[...played].filter(each => !each.paused).length"
