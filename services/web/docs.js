// GET /docs: the description of the service, made of openapi.json.  Text is set as text, never as markup.

/**
 * @param {string} name
 * @param {...(Node | string)} children
 */
function make(name, ...children) {
  const element = document.createElement(name);
  element.append(...children);
  return element;
}

/** @param {string} id */
const byId = (id) => /** @type {HTMLElement} */ (document.getElementById(id));

/**
 * Words with `code` in them.
 * @param {string} [words]
 */
function paragraph(words = "") {
  const parts = words.split("`").map((part, at) => (at % 2 ? make("code", part) : part));
  return make("p", ...parts);
}

/**
 * JSON in which what it refers to is a link.
 * @param {any} value
 */
function schema(value) {
  const parts = JSON.stringify(value, null, 2).split(/"\$ref": "#\/components\/schemas\/(\w+)"/);
  const block = make("pre");
  parts.forEach((part, at) => {
    if (at % 2 === 0) block.append(part);
    else {
      const link = make("a", part);
      link.setAttribute("href", `#schema-${part}`);
      block.append(link);
    }
  });
  return block;
}

/** @param {(Node | string)[][]} rows the first is the head */
function rowsOf(rows) {
  return rows.map((cells, at) => make("tr", ...cells.map((cell) => make(at ? "td" : "th", cell))));
}

/** @param {any} api */
function resolver(api) {
  /** @param {any} value what it says, or what it refers to */
  return (value) =>
    value.$ref === undefined
      ? value
      : value.$ref.slice(2).split("/").reduce((/** @type {any} */ at, /** @type {string} */ key) => at[key], api);
}

/** @param {any} content by media type */
function bodies(content = {}) {
  return Object.entries(content).flatMap(([type, body]) => [make("p", make("code", type)), schema(body.schema ?? {})]);
}

/**
 * @param {string} path
 * @param {string} method
 * @param {any} operation
 * @param {any[]} shared parameters of all that the path has
 * @param {(value: any) => any} resolve
 */
function operationOf(path, method, operation, shared, resolve) {
  const parameters = [...shared, ...(operation.parameters ?? [])].map(resolve);
  const needs = operation.security?.length ? Object.keys(operation.security[0]).join(", ") : "";
  const fold = make("details", make("summary", make("b", `${method.toUpperCase()} ${path}`), ` ${operation.summary}`));
  fold.id = operation.operationId;
  fold.append(paragraph(operation.description));
  if (needs !== "") fold.append(make("p", "Needs ", make("code", needs)));
  if (parameters.length > 0)
    fold.append(
      make(
        "table",
        ...rowsOf([
          ["Parameter", "in", ""],
          ...parameters.map((/** @type {any} */ each) => [each.name, each.in, paragraph(each.description)]),
        ]),
      ),
    );
  fold.append(...bodies(operation.requestBody?.content));
  for (const [status, reply] of Object.entries(operation.responses)) {
    const said = resolve(reply);
    fold.append(make("h3", status), paragraph(said.description), ...bodies(said.content));
  }
  return fold;
}

/** @param {any} api */
function show(api) {
  const resolve = resolver(api);
  byId("title").textContent = `${api.info.title} ${api.info.version}`;
  byId("about").replaceWith(paragraph(api.info.description));
  for (const [path, methods] of Object.entries(api.paths))
    for (const [method, operation] of Object.entries(methods))
      if (operation.operationId !== undefined)
        byId("operations").append(operationOf(path, method, operation, methods.parameters ?? [], resolve));
  byId("errors").append(
    ...rowsOf([
      ["code", "status", "stage", "try again", "what the candidate reads"],
      ...api["x-errors"].map((/** @type {any} */ each) => [
        make("code", each.code),
        String(each.status),
        each.stage,
        each.retryable ? "yes" : "no",
        each.message_safe,
      ]),
    ]),
  );
  for (const [name, value] of Object.entries(api.components.schemas)) {
    const fold = make("details", make("summary", make("b", name)), schema(value));
    fold.id = `schema-${name}`;
    byId("schemas").append(fold);
  }
}

/** What a link leads to is unfolded. */
function unfold() {
  const target = document.getElementById(location.hash.slice(1));
  if (target instanceof HTMLDetailsElement) target.open = true;
}

addEventListener("hashchange", unfold);
fetch("/openapi.json")
  .then((reply) => reply.json())
  .then((api) => {
    show(api);
    unfold();
  })
  .catch(() => {
    byId("failure").textContent = "openapi.json could not be read.";
    byId("failure").hidden = false;
  });
