/** @typedef {Node | string | number | null | undefined | false} Child */

/**
 * An element with attributes and children. Text becomes text nodes, never HTML: a payload stays inert.
 *
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Record<string, string | boolean | ((event: never) => void)>} [attributes] a function is a listener
 * @param {...(Child | Child[])} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) {
    // Whoever names the event knows which kind it is.
    const listener = /** @type {EventListener} */ (value)
    if (typeof value === 'function') made.addEventListener(name, listener)
    else if (value !== false) made.setAttribute(name, value === true ? '' : value)
  }
  made.append(...shown(children))
  return made
}

/**
 * @param {(Child | Child[])[]} children
 * @returns {(Node | string)[]}
 */
function shown(children) {
  return children
    .flat()
    .filter((child) => child !== null && child !== undefined && child !== false)
    .map((child) => (child instanceof Node ? child : String(child)))
}

/**
 * The element of the page with an id.
 *
 * @template {HTMLElement} Kind
 * @param {string} id
 * @param {new () => Kind} kind
 * @returns {Kind}
 */
export function byId(id, kind) {
  const found = document.getElementById(id)
  if (found instanceof kind) return found
  throw new Error(`the page has no ${id}`)
}
