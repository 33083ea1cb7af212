// The talk button: held while one speaks, by touch, mouse, pen or the space bar, and let go to send; or
// tapped to start and tapped again to send.  Who slides off it, or presses Escape, sends nothing.  A click
// that comes without a pointer (a screen reader's, a switch's, Enter) is a tap.

/** Where the space bar means something else. */
const OTHER_USES = "input, textarea, select, button, a, summary, audio, [contenteditable], dialog";

/** Let go before this, it was a tap. */
const TAP_MS = 400;

/** So far beside the button, in CSS pixels, is away from it. */
const AWAY = 40;

/**
 * @param {HTMLElement} button
 * @param {{ isActive: () => boolean, isOn: () => boolean, hold: () => void, release: () => void, latch: () => void,
 *   aim: (isAway: boolean) => void, cancel: () => void }} room `latch`: it goes on without being held
 */
export function watchTalkButton(button, room) {
  /** What holds it, and since when; "end": this press is the second tap. @type {{ by: "pointer" | "space", at: number, isEnd: boolean, isAway: boolean } | null} */
  let press = null;

  const down = (/** @type {"pointer" | "space"} */ by) => {
    press = { by, at: performance.now(), isEnd: room.isOn(), isAway: false };
    if (!press.isEnd) room.hold();
  };
  const up = () => {
    const { at, isEnd, isAway } = /** @type {NonNullable<typeof press>} */ (press);

    press = null;
    if (isAway) room.cancel();
    else if (isEnd || performance.now() - at >= TAP_MS) room.release();
    else room.latch();
  };
  const drop = () => {
    press = null;
    room.cancel();
  };

  button.addEventListener("pointerdown", (event) => {
    if (event.button !== 0 || press) return;
    try {
      button.setPointerCapture(event.pointerId);
    } catch {
      // The pointer is up again already.
    }
    down("pointer");
  });
  button.addEventListener("pointermove", ({ clientX, clientY }) => {
    if (press?.by !== "pointer") return;
    const { left, right, top, bottom } = button.getBoundingClientRect();
    const isAway = clientX < left - AWAY || clientX > right + AWAY || clientY < top - AWAY || clientY > bottom + AWAY;

    if (isAway === press.isAway) return;
    press.isAway = isAway;
    room.aim(isAway);
  });
  button.addEventListener("pointerup", () => {
    if (press?.by === "pointer") up();
  });
  for (const name of ["pointercancel", "lostpointercapture"]) {
    button.addEventListener(name, () => {
      if (press?.by === "pointer") drop();
    });
  }
  button.addEventListener("contextmenu", (event) => event.preventDefault());
  button.addEventListener("click", (event) => {
    if (event.detail !== 0 || press) return; // the pointer's own click
    if (room.isOn()) room.release();
    else {
      room.hold();
      room.latch();
    }
  });

  document.addEventListener("keydown", (event) => {
    const target = /** @type {Element} */ (event.target);

    if (event.code === "Escape" && room.isOn()) drop();
    if (event.code !== "Space" || event.ctrlKey || event.altKey || event.metaKey) return;
    if (press || event.repeat) {
      if (press) event.preventDefault();
      return;
    }
    if (!room.isActive() || (target !== button && target.closest(OTHER_USES))) return;
    event.preventDefault();
    down("space");
  });
  document.addEventListener("keyup", (event) => {
    if (event.code !== "Space" || (press && press.by !== "space")) return;
    if (press) {
      event.preventDefault();
      up();
    }
  });
  addEventListener("blur", () => {
    if (press?.by === "space") drop();
  });
}
