import type { BaseIssue } from 'valibot'
import { CONFIG_OPTIONS, MOVED_KEYS } from '../items/config.ts'
import type { Problem } from '../wire/errors.ts'
import type { Path } from './options.ts'
import { quoted } from './quoted.ts'
import { didYouMean } from './suggestion.ts'

/** A place in the options, and what a schema says about it. */
export type Issue = BaseIssue<unknown>

/** What an expression gave may be a secret: its kind may be named, its text not. */
export function describeComputed(issue: Issue, path: Path): Problem {
  const option = isUnknownKey(issue) ? '' : optionName(path)
  if (issue.kind === 'schema' && issue.type !== 'picklist' && !isUnknownKey(issue)) {
    return wrongType(issue, option)
  }
  const isEmpty = issue.type === 'non_empty' || (issue.type === 'regex' && issue.input === '')
  if (isEmpty) return { message: `"${option}": ${issue.message}` }
  const wanted = option === '' ? 'options' : `"${option}"`
  const hint = issue.type === 'regex' ? `it ${issue.message}` : undefined
  return { message: `the expression gives no valid ${wanted}`, ...(hint && { hint }) }
}

/** Where in the options an issue is. */
export function pathOf(issue: Issue): Path {
  return (issue.path ?? []).map((item) => item.key as string | number) // options are JSON
}

/** What an issue says to a person. */
export function describe(issue: Issue, path: Path, known: readonly string[]): Problem {
  if (isUnknownKey(issue)) return unknownOption(issue, path, known)
  const option = optionName(path)
  if (issue.type === 'picklist') return notAllowed(issue)
  if (issue.kind === 'schema') return wrongType(issue, option)
  return { message: `"${option}": ${issue.message}` }
}

function optionName(path: Path): string {
  return path.filter((key) => typeof key === 'string').join('.')
}

/** valibot marks a key that a strict object does not have with an origin of its own. */
export function isUnknownKey(issue: Issue): boolean {
  return issue.type === 'strict_object' && issue.expected === 'never'
}

/** A mapping within the options says in its message what there is: `options: scheme, secret`. */
function optionsOf({ message }: Issue): string[] {
  const [, names] = /^options: (.*)/.exec(message) ?? []
  return names?.split(', ') ?? []
}

function unknownOption(issue: Issue, path: Path, known: readonly string[]): Problem {
  const name = String(path.at(-1))
  const common = Object.keys(CONFIG_OPTIONS)
  if (path.length === 1 && common.includes(name)) {
    return { message: `unknown option ${quoted(name)}`, hint: 'it belongs under "config"' }
  }
  const isCommon = path.length === 2 && path[0] === 'config'
  const moved = isCommon ? MOVED_KEYS.get(name) : undefined
  if (moved !== undefined) return { message: `"config.${name}" is not known here`, notes: [moved] }
  const names = path.length === 1 ? known : isCommon ? common : optionsOf(issue)
  return withHint(`unknown option ${quoted(name)}`, name, names, 'options')
}

/** The schema's message is the noun: `HTTP method`. */
function notAllowed({ message: noun, expected, input }: Issue): Problem {
  const allowed = [...(expected ?? '').matchAll(/"([^"]*)"/g)].map(([, name = '']) => name)
  if (typeof input === 'string') {
    return withHint(`unknown ${noun} ${quoted(input)}`, input, allowed, 'allowed')
  }
  return withHint(`${noun} is ${kindOf(input)}, not a name`, '', allowed, 'allowed')
}

function withHint(
  message: string,
  found: string,
  names: readonly string[],
  label: string,
): Problem {
  const hint = didYouMean(found, names)
  const notes = names.length > 0 ? [`${label}: ${names.join(', ')}`] : []
  return { message, ...(hint && { hint }), notes }
}

function wrongType(issue: Issue, option: string): Problem {
  const wanted = (issue.expected ?? 'something else').replace(/^Object$/, 'a mapping of options')
  if (option === '') return { message: `options are ${kindOf(issue.input)}, not ${wanted}` }
  const message = `"${option}" is ${kindOf(issue.input)}, not ${article(wanted)}`
  // In YAML 1.2 `yes`, `no`, `on` and `off` are text.
  return wanted === 'boolean' ? { message, hint: 'write true or false' } : { message }
}

function article(noun: string): string {
  if (noun.startsWith('a ')) return noun
  return /^[aeiou]/.test(noun) ? `an ${noun}` : `a ${noun}`
}

function kindOf(value: unknown): string {
  if (value === null) return 'empty'
  if (Array.isArray(value)) return 'a list'
  return typeof value === 'object' ? 'a mapping' : `a ${typeof value}`
}
