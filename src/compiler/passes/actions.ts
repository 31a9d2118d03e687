import { isMap, type Node } from 'yaml'
import type { Forge } from '../../wire/settings.ts'
import { asFindings, type Mistake } from '../../workflow/mistakes.ts'
import type { Operation } from '../../workflow/operations.ts'
import { type Path, pairKey, pairOf, pairsOf, positionAt, rangeOf } from '../../workflow/yaml.ts'
import type { Pass } from '../plan.ts'
import type { SourceFile } from '../source-file.ts'
import { usesOperations } from '../uses.ts'

/**
 * The actions of the user's own jobs, if they are pinned, locked, or need an address on the forge.
 */
export const actions: Pass = {
  run({ file, options }, part) {
    if (part === 'listening') return {}
    const { forge, existing, lock } = options
    const name = `${file.name}${part === 'jobs' ? '.jobs' : ''}.yml`
    const known = { settings: options, existing: existing?.get(name), lock, name }
    return {
      operations: [...usesOperations(file, known), ...forgeOperations(file, forge)],
      findings: asFindings(forgeNotices(file, forge), 'warning'),
    }
  },
}

/** Removes `queue:`, because only GitHub knows it and other forges refuse the file. */
function forgeOperations(file: SourceFile, forge: Forge): Operation[] {
  if (forge === 'github') return []
  return queuesOf(file).map(({ path }) => ({ op: 'remove', path }))
}

function forgeNotices(file: SourceFile, forge: Forge): Mistake[] {
  if (forge === 'github') return []
  return queuesOf(file).map(({ key }) => ({
    code: 'queue-left-out',
    message: `${forge} knows no "queue": it is left out, so of the runs that wait only the newest stays`,
    position: positionAt(file.source, ...rangeOf(key)),
  }))
}

interface QueueKey {
  readonly key: Node
  readonly path: Path
}

/** The `queue:` of the workflow and of its jobs, unless they are aliases. */
function queuesOf({ sections, jobs }: SourceFile): QueueKey[] {
  const among = (node: Node | null | undefined, above: Path): QueueKey[] => {
    const path = [...above, 'concurrency']
    return (isMap(node) ? pairsOf(node) : [])
      .filter((pair) => pairKey(pair) === 'queue')
      .map(({ key }) => ({ key, path: [...path, 'queue'] }))
  }
  const ids = isMap(jobs.value) ? pairsOf(jobs.value) : []
  return [
    ...among(sections.get('concurrency')?.value, []),
    ...ids.flatMap((pair) =>
      among(pairOf(pair.value, 'concurrency')?.value, ['jobs', pairKey(pair)]),
    ),
  ]
}
