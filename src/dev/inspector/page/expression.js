/**
 * Where a value stands that an expression is to read.
 *
 * @typedef {object} Place
 * @property {string} trigger
 * @property {readonly (string | number)[]} path below the trigger's `outputs`
 * @property {unknown} value what stands there
 * @property {number} item counts from 0
 * @property {readonly string[]} fields the outputs of the trigger that are step outputs of their own
 */

/** Step outputs that no field of an item can take. */
const RESERVED = new Set([
  'triggered',
  'trigger',
  'workflow',
  'count',
  'on',
  'items',
  'delivery',
  'received-at',
])

/**
 * The expression for a workflow that Hookline compiles: `${{ on.webhook.outputs.body.title }}`. What
 * is no text or number is given as JSON, since an expression in a text would only print `Object`.
 *
 * @param {Place} place
 */
export function onExpression({ trigger, path, value }) {
  return wrapped(asText(`on${steps([trigger, 'outputs', ...path])}`, value))
}

/**
 * The expression for a native workflow, where step `id` runs the action:
 * `${{ fromJSON(steps.id.outputs.body).title }}`.
 *
 * @param {Place} place
 * @param {string} id
 */
export function stepExpression(place, id) {
  const { trigger, path, value, item } = place
  const outputs = `steps${steps([id, 'outputs'])}`
  const own = ownOutput(place)
  if (own !== undefined) return wrapped(fieldExpression(`${outputs}${step(own)}`, path, value))
  const all = item === 0 ? `fromJSON(${outputs}.on)` : `fromJSON(${outputs}.items)[${item}]`
  return wrapped(asText(`${all}${steps([trigger, 'outputs', ...path])}`, value))
}

/**
 * The field of a place that is a step output; only the first item has such.
 *
 * @param {Place} place
 */
function ownOutput({ path: [field], item, fields }) {
  const isOwn = item === 0 && typeof field === 'string' && fields.includes(field)
  return isOwn && !RESERVED.has(field) ? field : undefined
}

/**
 * A step output is text: a text as it is, everything else JSON.
 *
 * @param {string} output
 * @param {Place['path']} path
 * @param {unknown} value
 */
function fieldExpression(output, [, ...below], value) {
  if (below.length > 0) return asText(`fromJSON(${output})${steps(below)}`, value)
  return typeof value === 'string' || isStructure(value) ? output : `fromJSON(${output})`
}

/**
 * @param {string} expression
 * @param {unknown} value
 */
function asText(expression, value) {
  return isStructure(value) ? `toJSON(${expression})` : expression
}

/** @param {unknown} value */
function isStructure(value) {
  return typeof value === 'object' && value !== null
}

/** @param {readonly (string | number)[]} path */
function steps(path) {
  return path.map(step).join('')
}

/**
 * One step down. Only names can follow a dot; in a text between quotes, a quote is written twice.
 *
 * @param {string | number} key
 */
function step(key) {
  if (typeof key === 'number') return `[${key}]`
  return /^[A-Za-z_][\w-]*$/.test(key) ? `.${key}` : `['${key.replaceAll("'", "''")}']`
}

/** @param {string} expression */
function wrapped(expression) {
  return `\${{ ${expression} }}`
}
