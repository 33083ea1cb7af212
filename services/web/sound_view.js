// The switch of how questions are heard, and the one tap that makes all silent.

import { byId, show } from "./dom.js";

/** @typedef {import("./interview.js").InterviewRoom} InterviewRoom */

const WAYS = /** @type {import("./sound.js").Way[]} */ (["conversation", "steps"]);

/** @param {InterviewRoom} room */
export function startSoundView(room) {
  byId("sound-mute").addEventListener("click", () => room.mute(!room.sound.isMuted));
  for (const way of WAYS) byId(`sound-${way}`).addEventListener("change", () => room.chooseWay(way));
}

/** @param {InterviewRoom} room */
export function showSound(room) {
  show(byId("sound"), room.hasVoice);
  byId("sound-mute").setAttribute("aria-pressed", String(room.sound.isMuted));
  byId(`sound-${room.way}`).checked = true;
}
