// Hold to talk: by touch, mouse or pen, and by the space bar.  A click that comes without holding (a
// screen reader's, a switch's, Enter) starts, and the next one sends.

/** Where the space bar means something else. */
const OTHER_USES = "input, textarea, select, button, a, summary, [contenteditable], dialog";

/**
 * @param {HTMLElement} button
 * @param {{ isActive: () => boolean, hold: () => void, release: () => void, isOn: () => boolean }} room
 */
export function watchTalkButton(button, room) {
  let isSpaceDown = false;
  let isPointerDown = false;

  button.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    isPointerDown = true;
    try {
      button.setPointerCapture(event.pointerId);
    } catch {
      // The pointer is up again already.
    }
    room.hold();
  });
  for (const name of ["pointerup", "pointercancel", "lostpointercapture"]) {
    button.addEventListener(name, () => {
      if (isPointerDown) room.release();
      isPointerDown = false;
    });
  }
  button.addEventListener("contextmenu", (event) => event.preventDefault());
  button.addEventListener("click", (event) => {
    if (event.detail !== 0 || isSpaceDown) return; // the pointer's own click
    if (room.isOn()) room.release();
    else room.hold();
  });

  document.addEventListener("keydown", (event) => {
    const target = /** @type {Element} */ (event.target);

    if (event.code !== "Space" || event.ctrlKey || event.altKey || event.metaKey) return;
    if (isSpaceDown || event.repeat) {
      if (isSpaceDown) event.preventDefault();
      return;
    }
    if (!room.isActive() || (target !== button && target.closest(OTHER_USES))) return;
    event.preventDefault();
    isSpaceDown = true;
    room.hold();
  });
  document.addEventListener("keyup", (event) => {
    if (event.code !== "Space" || !isSpaceDown) return;
    event.preventDefault();
    isSpaceDown = false;
    room.release();
  });
  addEventListener("blur", () => {
    if (isSpaceDown) room.release();
    isSpaceDown = false;
  });
}
