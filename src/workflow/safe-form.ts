/** A place from which an expression can read the event. */
export type EventSource =
  /** A source that Hookline compiles: `on.webhook.outputs.…`. */
  | { readonly kind: 'source' }
  /** A job whose matrix goes over the items: `matrix.<key>.webhook.outputs.…`. */
  | { readonly kind: 'matrix'; readonly key: string }
  /** An output that contains the action's output `on`: `steps.hookline.outputs.on`. */
  | { readonly kind: 'on'; readonly output: string }
  /** An output that contains the action's output `items`, and the number of the item from 0. */
  | { readonly kind: 'items'; readonly output: string; readonly item: number }

type ValuePath = readonly (string | number)[]

/**
 * The expression that reads a value of the event, without braces. The expression never fails: the runner evaluates
 * `env` and `name` of a step before its `if`, and an output of a step that did not run is empty, so
 * `fromJSON` gets a default. A missing property is empty.
 *
 * Hints, rules, generated files, examples and the inspector use this form, so that `check --strict`
 * accepts what they say.
 *
 * @param path from the trigger: `['webhook', 'outputs', 'body', 'type']`
 */
export function safeForm(source: EventSource, path: ValuePath): string {
  switch (source.kind) {
    case 'source':
      return `on${accessors(path)}`
    case 'matrix':
      return `matrix${accessors([source.key, ...path])}`
    case 'on':
      return `fromJSON(${source.output} || '{}')${accessors(path)}`
    case 'items':
      return `fromJSON(${source.output} || '[]')${accessors([source.item, ...path])}`
  }
}

/** The path to a value, as an expression writes it after a context: `.body['two words'][0]`. */
export function accessors(path: ValuePath): string {
  return path.map(accessor).join('')
}

/** Only names can follow a dot; in a string, a quote is written twice. */
function accessor(key: string | number): string {
  if (typeof key === 'number') return `[${key}]`
  return /^[A-Za-z_][\w-]*$/.test(key) ? `.${key}` : `['${key.replaceAll("'", "''")}']`
}

export function inBraces(expression: string): string {
  return `\${{ ${expression} }}`
}
