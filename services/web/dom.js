// Elements, made and filled without markup: whatever is shown is set as text.

const SVG = "http://www.w3.org/2000/svg";

/**
 * The element of that id; the page has it (index.html).
 * @param {string} id
 * @returns {any}
 */
export function byId(id) {
  return document.getElementById(id);
}

/**
 * @param {Element} element
 * @param {Record<string, any>} attributes `on…` are listeners; null and false leave one out
 * @param {(Node | string)[]} children
 */
function finish(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value !== null && value !== false) element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children);
  return element;
}

/**
 * @param {string} name
 * @param {Record<string, any>} [attributes]
 * @param {...(Node | string)} children
 * @returns {any}
 */
export function make(name, attributes = {}, ...children) {
  return finish(document.createElement(name), attributes, children);
}

/**
 * @param {string} name
 * @param {Record<string, any>} [attributes]
 * @param {...(Node | string)} children
 * @returns {SVGElement}
 */
export function makeSvg(name, attributes = {}, ...children) {
  return /** @type {SVGElement} */ (finish(document.createElementNS(SVG, name), attributes, children));
}

/**
 * @param {Element} element
 * @param {...(Node | string)} children
 */
export function fill(element, ...children) {
  element.replaceChildren(...children);
}

/**
 * @param {HTMLElement} element
 * @param {boolean} isShown
 */
export function show(element, isShown) {
  element.hidden = !isShown;
}

/** Says something to a screen reader, once more even if it said the same before. @param {string} text */
export function announce(text) {
  const status = byId("status");

  status.textContent = status.textContent === text ? `${text}\u00a0` : text;
}

/**
 * Hands a file to the person.
 * @param {string} name
 * @param {string} type
 * @param {string} content
 */
export function save(name, type, content) {
  const url = URL.createObjectURL(new Blob([content], { type }));
  const link = make("a", { href: url, download: name });

  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 60000);
}

/** Copies text, also where the clipboard's own interface is missing (plain HTTP). @param {string} text */
export async function copy(text) {
  if (navigator.clipboard) {
    try {
      await navigator.clipboard.writeText(text);
      return;
    } catch {
      // Refused: by hand, then.
    }
  }
  const field = make("textarea", { readonly: true, class: "visually-hidden", "aria-hidden": "true" });

  field.value = text;
  document.body.append(field);
  field.select();
  document.execCommand("copy");
  field.remove();
}
