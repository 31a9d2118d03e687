import { type Document, isPair, isSeq, type Node, visit } from 'yaml'
import type { Problem } from '../wire/errors.ts'
import { NATIVE_EVENTS } from '../wire/events.ts'
import { keyOf } from '../workflow/file-expressions.ts'
import { didYouMean, nearestName } from '../workflow/suggestion.ts'
import { rangeOf } from '../workflow/yaml.ts'

const TOP_KEYS: readonly string[] =
  'name run-name on permissions env defaults concurrency jobs'.split(' ')

/** The key at the top of a workflow of which a word is a slip; itself where it is one. */
export function keyMeantBy(word: string): string | undefined {
  return TOP_KEYS.includes(word) ? word : nearestName(word, TOP_KEYS)
}

/** Keys of a workflow by where they stand; `*` is any name, or any item of a list. */
const KEYS: ReadonlyMap<string, readonly string[]> = new Map([
  ['', TOP_KEYS],
  ['on', [...NATIVE_EVENTS]],
  [
    'jobs.*',
    `name needs permissions runs-on if environment concurrency outputs env defaults steps
     timeout-minutes strategy continue-on-error container services uses with secrets`.split(/\s+/),
  ],
  [
    'jobs.*.steps.*',
    'id if name uses run working-directory shell with env continue-on-error timeout-minutes'.split(
      ' ',
    ),
  ],
])

/**
 * The problems of a file, with the key that was probably meant where GitHub's parser knows none such;
 * without those that only follow, since the context `on` cannot be read below an unknown key.
 */
export function withKeyHints(document: Document.Parsed, problems: readonly Problem[]): Problem[] {
  const misspelled = new Set<string>()
  const hinted = problems.map((problem) => {
    const key = problem.code === 'unexpected-value' ? problem.subject : undefined
    const hint =
      key === undefined ? undefined : didYouMean(key, keysAround(document, problem) ?? [])
    if (key === undefined || hint === undefined) return problem
    misspelled.add(key)
    return { ...problem, hint }
  })
  return hinted.filter(
    ({ code, subject = '' }) =>
      code !== 'context-not-here' || !subject.split('.').some((key) => misspelled.has(key)),
  )
}

/** What may stand beside the key at a place; `undefined` where none stands, or nobody knows. */
function keysAround(document: Document.Parsed, { position }: Problem) {
  if (!position) return undefined
  const before = position.source.text.split('\n').slice(0, position.line - 1)
  const at = before.reduce((sum, line) => sum + line.length + 1, 0) + position.column - 1
  let place: string | undefined
  visit(document, {
    Pair(_, { key }, path) {
      if (rangeOf(key as Node)[0] !== at) return undefined // a parsed document holds nodes only
      const above = path.flatMap((one) => (isPair(one) ? keyOf(one) : isSeq(one) ? '*' : []))
      place = above
        .map((name, index) => (index === 1 && above[0] === 'jobs' ? '*' : name))
        .join('.')
      return visit.BREAK
    },
  })
  return place === undefined ? undefined : KEYS.get(place)
}
