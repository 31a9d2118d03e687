import { type Document, isPair, isSeq, type Node, type Pair, visit } from 'yaml'
import type { Finding, Position, Problem } from '../wire/errors.ts'
import { NATIVE_EVENTS } from '../wire/events.ts'
import { words } from '../wire/words.ts'
import { isFault, parseExpression } from '../workflow/file-expressions.ts'
import type { Mistake } from '../workflow/mistakes.ts'
import { didYouMean, nearestName, quoted } from '../workflow/suggestion.ts'
import { offsetOf, pairKey, rangeOf } from '../workflow/yaml.ts'
import { SETTINGS_KEY } from './compiler-settings.ts'
import { SCOPES } from './permissions.ts'

const TOP_KEYS: readonly string[] =
  'name run-name on permissions env defaults concurrency jobs'.split(' ')

/** The top-level key that a word equals, or is a typo of. */
export function keyMeantBy(word: string): string | undefined {
  return TOP_KEYS.includes(word) ? word : nearestName(word, TOP_KEYS)
}

const STEP_KEYS = words(`id if name uses run working-directory shell with env continue-on-error
  timeout-minutes background wait wait-all cancel parallel`)

const RUN_KEYS = words('shell working-directory')
const GROUP_KEYS = words('group cancel-in-progress queue')
const CONTAINER_KEYS = words('image credentials env ports volumes options')

/** The keys of a workflow by path; `*` is any name, or any item of a list. */
const KEYS: ReadonlyMap<string, readonly string[]> = new Map([
  ['', [...TOP_KEYS, 'cache-mode']],
  ['on', [...NATIVE_EVENTS]],
  ['permissions', SCOPES],
  ['concurrency', GROUP_KEYS],
  ['defaults', ['run']],
  ['defaults.run', RUN_KEYS],
  [
    'jobs.*',
    words(`name needs permissions runs-on if environment concurrency outputs env defaults steps
     timeout-minutes strategy continue-on-error container services uses with secrets snapshot
     cache-mode`),
  ],
  ['jobs.*.permissions', SCOPES],
  ['jobs.*.concurrency', GROUP_KEYS],
  ['jobs.*.environment', words('name url deployment')],
  ['jobs.*.defaults', ['run']],
  ['jobs.*.defaults.run', RUN_KEYS],
  ['jobs.*.strategy', words('matrix fail-fast max-parallel')],
  ['jobs.*.container', CONTAINER_KEYS],
  ['jobs.*.services.*', CONTAINER_KEYS],
  ['jobs.*.steps.*', STEP_KEYS],
  ['jobs.*.steps.*.parallel.*', STEP_KEYS],
])

/**
 * Turns unknown keys into warnings, because GitHub may have added them after its parser here was
 * released; other findings remain errors. A key that is similar to a known key is a typo, so it
 * remains an error, and so does an unknown name in `on:`, which would silently never fire.
 */
export function unknownKeyFindings(
  document: Document.Parsed,
  mistakes: readonly Mistake[],
): Finding[] {
  return mistakes.map((problem): Finding => {
    const key = problem.code === 'unexpected-value' ? problem.subject : undefined
    const place = key === undefined ? undefined : keySection(document, problem)
    if (key !== undefined && FILTERS.includes(key) && /^on\.[^.]+$/.test(place ?? '')) {
      const message = `GitHub ignores ${quoted(key)} here: this event has no such filter`
      const hint = 'remove it: the event starts the workflow whatever the filter says'
      return { ...problem, level: 'warning', code: 'unknown-key', message, hint }
    }
    const known = place === undefined || place === 'on' ? undefined : KEYS.get(place)
    if (key === SETTINGS_KEY && place === '') {
      const message = `"${SETTINGS_KEY}:" is a key of workflows/*.yml: GitHub refuses a file with it`
      return { ...problem, level: 'error', code: 'own-key', message, hint: 'remove it' }
    }
    const isUnknown =
      key !== undefined &&
      known !== undefined &&
      (UNRELEASED.includes(key) ? known.includes(key) : nearestName(key, known) === undefined)
    if (!isUnknown) return { ...problem, level: 'error' }
    const message = `${quoted(key)} is not a key that the compiler's version of GitHub's parser knows: it is copied`
    return { ...problem, level: 'warning', code: 'unknown-key', message }
  })
}

/** Keys of GitHub that no released version of its parser knows. */
const UNRELEASED: readonly string[] = ['cache-mode']

/**
 * Filters of events. GitHub's parser here refuses a filter that an event does not have; GitHub
 * itself ignores it, as in `merge_group: {paths: …}`: https://github.com/orgs/community/discussions/45899
 */
const FILTERS: readonly string[] = words(
  'branches branches-ignore paths paths-ignore tags tags-ignore',
)

/**
 * Adds to an unknown key the key that was probably meant, and removes problems that only follow
 * from it, because the context `on` cannot be read below an unknown key.
 */
export function withKeyHints<Found extends Problem>(
  document: Document.Parsed,
  problems: readonly Found[],
): Found[] {
  const misspelled = new Set<string>()
  const hinted = problems.map((problem) => {
    const key = problem.code === 'unexpected-value' ? problem.subject : undefined
    const section = keySection(document, problem)
    if (key === undefined || section === undefined) {
      const hint = valueHint(document, problem)
      return hint === undefined ? problem : { ...problem, hint }
    }
    const known = KEYS.get(section) ?? []
    // A known key at its position means that there is one key too many: GitHub allows only one of
    // these two.
    if (known === STEP_KEYS && ['uses', 'run'].includes(key)) {
      return { ...problem, hint: 'a step has either "uses" or "run"' }
    }
    const hint = known.includes(key) ? undefined : didYouMean(key, known)
    if (hint === undefined) return problem
    misspelled.add(key)
    return { ...problem, hint }
  })
  return hinted.filter(
    ({ code, subject = '' }) =>
      code !== 'context-not-here' || !subject.split('.').some((key) => misspelled.has(key)),
  )
}

/** The scopes that have not all values. Source: GitHub's schema of workflows. */
const ACCESS: ReadonlyMap<string, string> = new Map([
  ['copilot-requests', 'write, none'],
  ['id-token', 'write, none'],
  ['models', 'read, none'],
  ['vulnerability-alerts', 'read, none'],
])

/** The usual cause of a value that GitHub's parser refuses. */
function valueHint(document: Document.Parsed, problem: Problem): string | undefined {
  const isStep = keySection(document, problem) === 'jobs.*.steps'
  if (isStep) return 'write each step as an item of the list: "- run: …"'
  const [, value] = /^Unexpected value '(.*)'$/s.exec(problem.message) ?? []
  if (value === undefined || !problem.position) return undefined
  if (value === '') return emptyHint(document, problem.position)
  // GitHub evaluates no expression in permissions.
  const path = placeOf(document, problem, ({ value: node }) => node)?.join('.') ?? ''
  const [, scope] = /^(?:jobs\.\*\.)?permissions\.([\w-]+)$/.exec(path) ?? []
  if (scope !== undefined) return `its values are: ${ACCESS.get(scope) ?? 'read, write, none'}`
  if (/^(?:jobs\.\*\.)?permissions$/.test(path)) {
    return 'write read-all, write-all, or a mapping such as {contents: read}'
  }
  const isExpression = /^(?:fromJSON\(|(?:on|steps|needs|matrix|github|inputs|vars)\.\w)/i
  const isWhole = isExpression.test(value) && !isFault(parseExpression(value))
  return isWhole ? `write \${{ ${value} }}` : undefined
}

/** The cure of an empty value: the next line can be meant to be in it, but have its column. */
function emptyHint(document: Document.Parsed, position: Position): string | undefined {
  const lines = position.source.text.split('\n')
  const [before = ''] = /^[ -]*/.exec(lines[position.line - 1] ?? '') ?? []
  const next = lines.findIndex((line, at) => at >= position.line && /^ *[^\s#]/.test(line))
  const [, indentation, key = ''] = /^( *)["']?(\w[\w-]*)/.exec(lines[next] ?? '') ?? []
  const empty = 'write a value, or remove the line'
  if (indentation?.length !== before.length) return empty
  const place = { position: { ...position, line: next + 1, column: before.length + 1 } }
  const known = KEYS.get(keySection(document, place) ?? 'nowhere')
  if (known?.includes(key)) return empty
  return known && !nearestName(key, known) ? 'indent what belongs to it' : undefined
}

/**
 * The path of the mapping of a problem's key, `jobs.*.steps.*`; `undefined` if the problem is not
 * at a key.
 */
function keySection(
  document: Document.Parsed,
  problem: Pick<Problem, 'position'>,
): string | undefined {
  return placeOf(document, problem, ({ key }) => key)
    ?.slice(0, -1)
    .join('.')
}

/** The path of the entry whose key, or value, is at the position of a problem. */
function placeOf(
  document: Document.Parsed,
  { position }: Pick<Problem, 'position'>,
  partOf: (pair: Pair) => unknown,
): readonly string[] | undefined {
  if (!position) return undefined
  const at = offsetOf(position)
  let place: readonly string[] | undefined
  visit(document, {
    Pair(_, pair, path) {
      const part = partOf(pair) as Node | null // a parsed document contains nodes only
      if (!part || rangeOf(part)[0] !== at) return undefined
      const all = [...path, pair]
      const names = all.flatMap((one) => (isPair(one) ? pairKey(one) : isSeq(one) ? '*' : []))
      place = names.map((name, index) => (isName(names, index) ? '*' : name))
      return visit.BREAK
    },
  })
  return place
}

/** Whether a key is a name that the user chose, of a job or a service. */
function isName(above: readonly string[], index: number): boolean {
  return above[0] === 'jobs' && (index === 1 || (index === 3 && above[2] === 'services'))
}
