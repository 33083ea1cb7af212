// A small line chart: scores over answers or sessions.  Lines are told apart by colour, dash and
// marker; the numbers are beside it, as a list or a table.

import { make, makeSvg } from "./dom.js";

const WIDE = 640;
const SLIM = 340; // on a phone, so that the type stays as large

/** Where charts are slim. */
export const NARROW = "(max-width: 40rem)";

const HEIGHT = 240;
const EDGE = { left: 34, right: 16, top: 14, bottom: 30 };
const LOW = 1;
const HIGH = 5;

/** Marks around the origin, one for each line. */
const MARKS = ["M-5 0a5 5 0 1 0 10 0a5 5 0 1 0-10 0", "M-4.5-4.5h9v9h-9z", "M0-6L6 5H-6z", "M0-6.5L6.5 0L0 6.5L-6.5 0z"];

/** @param {number} score */
function y(score) {
  return EDGE.top + ((HIGH - score) / (HIGH - LOW)) * (HEIGHT - EDGE.top - EDGE.bottom);
}

function width() {
  return matchMedia(NARROW).matches ? SLIM : WIDE;
}

/**
 * @param {number} at
 * @param {number} count
 */
function x(at, count) {
  const room = width() - EDGE.left - EDGE.right;

  return EDGE.left + (count > 1 ? (at / (count - 1)) * (room - 24) + 12 : room / 2);
}

function grid() {
  return [1, 2, 3, 4, 5].flatMap((score) => [
    makeSvg("line", { class: "grid", x1: EDGE.left, x2: width() - EDGE.right, y1: y(score), y2: y(score) }),
    makeSvg("text", { class: "tick", x: EDGE.left - 12, y: y(score) + 5, "text-anchor": "middle" }, String(score)),
  ]);
}

/** @param {string[]} labels */
function ticks(labels) {
  const step = Math.ceil(labels.length / 10);

  return labels.map((label, at) =>
    at % step === 0 ? makeSvg("text", { class: "tick", x: x(at, labels.length), y: HEIGHT - 8, "text-anchor": "middle" }, label) : makeSvg("g"),
  );
}

/**
 * A value that is missing breaks the line.
 * @param {(number | null)[]} values
 */
function path(values) {
  let command = "M";
  let text = "";

  values.forEach((value, at) => {
    if (value === null) command = "M";
    else {
      text += `${command}${x(at, values.length).toFixed(1)} ${y(value).toFixed(1)}`;
      command = "L";
    }
  });
  return text;
}

/**
 * @param {{ name: string, values: (number | null)[] }} line
 * @param {number} at
 */
function drawn({ values }, at) {
  const marks = values.flatMap((value, turn) =>
    value === null ? [] : [makeSvg("path", { class: "mark", d: MARKS[at % MARKS.length], transform: `translate(${x(turn, values.length).toFixed(1)} ${y(value).toFixed(1)})` })],
  );

  return makeSvg("g", { class: `line line-${at}` }, makeSvg("path", { class: "stroke", d: path(values) }), ...marks);
}

/**
 * @param {string} text what a screen reader says of it
 * @param {string[]} labels below the x axis
 * @param {{ name: string, values: (number | null)[] }[]} lines
 * @returns {Node[]} the picture and, for more than one line, its legend
 */
export function chart(text, labels, lines) {
  const picture = makeSvg("svg", { viewBox: `0 0 ${width()} ${HEIGHT}`, role: "img", "aria-label": text }, ...grid(), ...ticks(labels), ...lines.map(drawn));

  if (lines.length < 2) return [picture];
  const legend = lines.map(({ name }, at) =>
    make("li", {}, makeSvg("svg", { viewBox: "-16 -9 32 18", "aria-hidden": "true", class: "key" }, makeSvg("g", { class: `line line-${at}` }, makeSvg("path", { class: "stroke", d: "M-15 0H15" }), makeSvg("path", { class: "mark", d: MARKS[at % MARKS.length] }))), name),
  );

  return [picture, make("ul", { class: "legend" }, ...legend)];
}
