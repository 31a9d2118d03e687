import { element } from './element.js'

/**
 * A tree of a JSON value, in which every value can be chosen. Branches are built when they are
 * opened, so a large payload costs nothing until someone looks.
 *
 * @typedef {object} TreeOptions
 * @property {string} label
 * @property {(path: (string | number)[], value: unknown) => void} [choose]
 * @property {(path: (string | number)[], value: unknown) => void} [point] under the mouse or focused
 */

/** Children shown at once; more come on demand. */
const PAGE = 100
/** Levels that are open at first, in branches of a few children. */
const OPEN = { levels: 4, children: 12 }
/** Long, and seldom what is looked for. */
const CLOSED = new Set(['headers'])
/** Characters of a text that are shown in its line. */
const SHOWN = 2000

/**
 * @param {Record<string, unknown> | unknown[]} root its children are the first level
 * @param {TreeOptions} options
 */
export function tree(root, options) {
  const list = element('ul', { class: 'tree', role: 'tree', 'aria-label': options.label })
  list.append(...children(root, [], options))
  list.querySelector('[role=treeitem]')?.setAttribute('tabindex', '0')
  list.addEventListener('keydown', (event) => onKey(event, list))
  list.addEventListener('focusin', ({ target }) => rove(list, /** @type {Element} */ (target)))
  return list
}

/**
 * @param {object} parent
 * @param {(string | number)[]} path
 * @param {TreeOptions} options
 * @param {number} [from]
 * @returns {HTMLLIElement[]}
 */
function children(parent, path, options, from = 0) {
  /** @type {[string | number, unknown][]} */
  const all = Array.isArray(parent) ? [...parent.entries()] : Object.entries(parent)
  const items = all
    .slice(from, from + PAGE)
    .map(([key, value]) => treeItem(key, value, [...path, key], options))
  const left = all.length - from - PAGE
  if (left > 0) items.push(moreItem(left, () => children(parent, path, options, from + PAGE)))
  return items
}

/**
 * A line, which is the tree item, and below it the group of its children.
 *
 * @param {string | number} key
 * @param {unknown} value
 * @param {(string | number)[]} path
 * @param {TreeOptions} options
 */
function treeItem(key, value, path, options) {
  const branch = isBranch(value)
  const item = element(
    'div',
    { class: 'leaf', role: 'treeitem', tabindex: '-1', 'aria-level': String(path.length) },
    branch && element('span', { class: 'twisty', 'aria-hidden': 'true' }),
    element('span', { class: 'key' }, `${key}:`),
    ' ',
    valueText(value),
  )
  listen(item, path, value, options)
  return element('li', { role: 'none' }, item, branch && group(item, value, path, options))
}

/**
 * @param {HTMLElement} item
 * @param {(string | number)[]} path
 * @param {unknown} value
 * @param {TreeOptions} options
 */
function listen(item, path, value, { choose, point }) {
  item.addEventListener('click', ({ target }) => {
    if (!choose || (target instanceof Element && target.matches('.twisty'))) toggle(item)
    else choose(path, value)
  })
  item.addEventListener('mouseenter', () => point?.(path, value))
  item.addEventListener('focus', () => point?.(path, value))
}

/**
 * The children of a branch, which are built when it is opened.
 *
 * @param {HTMLElement} item
 * @param {object} value
 * @param {(string | number)[]} path
 * @param {TreeOptions} options
 */
function group(item, value, path, options) {
  const list = element('ul', { role: 'group' })
  const small = path.length < OPEN.levels && Object.keys(value).length <= OPEN.children
  item.classList.add('branch')
  item.addEventListener('open', () => {
    if (list.childElementCount === 0) list.append(...children(value, path, options))
  })
  setOpen(item, small && !CLOSED.has(String(path[0])))
  return list
}

/**
 * @param {number} left
 * @param {() => HTMLLIElement[]} next
 */
function moreItem(left, next) {
  const item = element(
    'div',
    { class: 'leaf more', role: 'treeitem', tabindex: '-1' },
    `${left} more…`,
  )
  const line = element('li', { role: 'none' }, item)
  item.addEventListener('click', () => {
    const shown = next()
    line.replaceWith(...shown)
    const first = shown[0]?.firstElementChild
    if (first instanceof HTMLElement) first.focus()
  })
  return line
}

/** @param {unknown} value */
function valueText(value) {
  if (isBranch(value)) {
    const size = Object.keys(value).length
    const text = Array.isArray(value) ? `[${size}]` : `{${size}}`
    return element('span', { class: 'value size' }, text)
  }
  const kind = value === null ? 'null' : typeof value
  if (typeof value !== 'string') return element('span', { class: `value ${kind}` }, String(value))
  const cut = value.length > SHOWN ? `${value.slice(0, SHOWN)}…` : value
  return element('span', { class: 'value string' }, cut === '' ? '""' : cut)
}

/**
 * @param {unknown} value
 * @returns {value is object}
 */
function isBranch(value) {
  return typeof value === 'object' && value !== null && Object.keys(value).length > 0
}

/** @param {Element} item */
function toggle(item) {
  setOpen(item, item.getAttribute('aria-expanded') !== 'true')
}

/**
 * @param {Element} item
 * @param {boolean} open
 */
function setOpen(item, open) {
  item.setAttribute('aria-expanded', String(open))
  if (open) item.dispatchEvent(new Event('open'))
}

/**
 * The keys of a tree, after the ARIA Authoring Practices Guide.
 *
 * @param {KeyboardEvent} event
 * @param {HTMLElement} list
 */
function onKey(event, list) {
  const item = document.activeElement
  if (!(item instanceof HTMLElement) || event.ctrlKey || event.metaKey || event.altKey) return
  const action = KEYS.get(event.key)
  if (!action || item.getAttribute('role') !== 'treeitem') return
  event.preventDefault()
  event.stopPropagation()
  action(item, list)
}

/** @type {Map<string, (item: HTMLElement, list: HTMLElement) => void>} */
const KEYS = new Map([
  ['ArrowDown', (item, list) => move(item, list, 1)],
  ['ArrowUp', (item, list) => move(item, list, -1)],
  ['ArrowRight', (item, list) => (isClosed(item) ? toggle(item) : move(item, list, 1))],
  ['ArrowLeft', (item) => (isOpen(item) ? toggle(item) : parentOf(item)?.focus())],
  ['Enter', (item) => item.click()],
  [' ', (item) => item.click()],
])

/** @param {Element} item */
function isClosed(item) {
  return item.getAttribute('aria-expanded') === 'false'
}

/** @param {Element} item */
function isOpen(item) {
  return item.getAttribute('aria-expanded') === 'true'
}

/** @param {Element} item */
function parentOf(item) {
  const above = item.closest('[role=group]')?.previousElementSibling
  return above instanceof HTMLElement ? above : undefined
}

/**
 * @param {Element} item
 * @param {HTMLElement} list
 * @param {1 | -1} by
 */
function move(item, list, by) {
  /** @type {NodeListOf<HTMLElement>} */
  const all = list.querySelectorAll('[role=treeitem]')
  const visible = [...all].filter((one) => one.offsetParent !== null)
  visible[visible.findIndex((one) => item.isSameNode(one)) + by]?.focus()
}

/**
 * Only one item of a tree can be reached with Tab: the one that had the focus last.
 *
 * @param {HTMLElement} list
 * @param {Element} target
 */
function rove(list, target) {
  for (const item of list.querySelectorAll('[tabindex="0"]')) item.setAttribute('tabindex', '-1')
  target.closest('[role=treeitem]')?.setAttribute('tabindex', '0')
}
