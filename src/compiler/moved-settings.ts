import { isMap, isScalar, type Node, stringify } from 'yaml'
import { rangeOf } from '../workflow/yaml.ts'
import { keyOf } from './expressions.ts'
import type { Entry } from './job-edits.ts'
import { envPairs, readsContext } from './on-job.ts'
import { rewriteText, type Target } from './rewrite.ts'
import { type NodePair, pairsOf, type SourceFile, type SourceJob } from './source-file.ts'
import { type Edit, linesOf } from './spans.ts'

/** Settings of the workflow that read `on`: there it cannot be read, in each job it can. */
export interface MovedSettings {
  readonly env: readonly NodePair[]
  readonly defaults: readonly NodePair[]
  readonly pairs: readonly NodePair[]
  readonly edits: readonly Edit[]
}

/** @param sections which of them have to move: `env` may read `inputs` where it stands */
export function movedSettings(
  file: SourceFile,
  sections: readonly ('env' | 'defaults')[],
): MovedSettings {
  const env = sections.includes('env')
    ? envPairs(file).filter((pair) => readsContext(file, pair, 'on'))
    : []
  const section = file.sections.get('defaults')?.value
  const runMap = isMap(section) ? section.get('run', true) : undefined
  const run = isMap(runMap) ? pairsOf(runMap) : []
  const defaults = run.filter((pair) => readsContext(file, pair, 'on'))
  const isEmptied = run.length === defaults.length
  return {
    env,
    defaults,
    pairs: [...env, ...defaults],
    edits: [
      ...withoutPairs(file, 'env', file.sections.get('env')?.value, envPairs(file), env),
      ...(defaults.length > 0 && isEmptied
        ? cutSection(file, 'defaults')
        : withoutPairs(file, 'defaults', runMap, run, defaults)),
    ],
  }
}

/** Whether they have to be moved into a job: one that calls a workflow has none of its own. */
export function isMovedInto({ pairs }: MovedSettings, { content }: SourceJob): boolean {
  return pairs.length > 0 && !(isMap(content) && content.has('uses'))
}

/** A mapping without some of its pairs: their lines are cut, or the rest is written anew. */
function withoutPairs(
  file: SourceFile,
  section: string,
  map: Node | null | undefined,
  all: readonly NodePair[],
  cut: readonly NodePair[],
): Edit[] {
  if (cut.length === 0) return []
  const { text } = file.source
  const isFlow = isMap(map) && map.flow === true
  if (isFlow && cut.length === all.length) return cutSection(file, section)
  if (isFlow) {
    const kept = all.filter((pair) => !cut.includes(pair))
    const parts = kept.map(({ key, value }) =>
      text.slice(rangeOf(key)[0], rangeOf(value ?? key)[1]),
    )
    const [start, end] = rangeOf(map)
    return [{ start, end, text: `{${parts.join(', ')}}` }]
  }
  const head = file.sections.get(section)?.key
  const keys = cut.length === all.length && head ? [{ key: head, value: null }, ...cut] : cut
  return keys.map(({ key, value }) => ({
    ...linesOf(text, rangeOf(key)[0], rangeOf(value ?? key)[1]),
    text: '',
  }))
}

/** Without a section, and the empty lines behind it. */
export function cutSection({ source: { text }, sections }: SourceFile, key: string): Edit[] {
  const section = sections.get(key)
  if (!section) return []
  const empty = /^(?:[ \t]*\n)*/.exec(text.slice(section.end))?.[0] ?? ''
  return [{ start: section.start, end: section.end + empty.length, text: '' }]
}

export function movedEntries({ env, defaults }: MovedSettings, target: Target) {
  const entry = (pair: NodePair): Entry => {
    const value = isScalar(pair.value) ? String(pair.value.value) : ''
    const text = stringify({ [keyOf(pair)]: rewriteText(value, target) }, { lineWidth: 0 })
    return { name: keyOf(pair), lines: text.trimEnd().split('\n') }
  }
  return { env: env.map(entry), defaults: defaults.map(entry) }
}
