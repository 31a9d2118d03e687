import { isMap, type Node } from 'yaml'
import type { Mistake } from '../workflow/mistakes.ts'
import type { Operation } from '../workflow/operations.ts'
import { keyOf, type Path, pairsOf, positionAt, rangeOf } from '../workflow/yaml.ts'
import type { Platform } from './settings.ts'
import type { SourceFile } from './source-file.ts'

/** GitHub alone knows `queue:`; elsewhere a file that has it is refused. */
export function platformOperations(file: SourceFile, platform: Platform): Operation[] {
  if (platform === 'github') return []
  return queuesOf(file).map(({ path }) => ({ op: 'remove', path }))
}

export function platformNotices(file: SourceFile, platform: Platform): Mistake[] {
  if (platform === 'github') return []
  return queuesOf(file).map(({ key }) => ({
    code: 'queue-left-out',
    message: `${platform} knows no "queue": it is left out, so of the runs that wait only the newest stays`,
    position: positionAt(file.source, ...rangeOf(key)),
  }))
}

interface Queue {
  readonly key: Node
  readonly path: Path
}

/** Those of the workflow, and of its jobs, where they are written out. */
function queuesOf({ sections, jobs }: SourceFile): Queue[] {
  const among = (node: Node | null | undefined, above: Path): Queue[] => {
    const path = [...above, 'concurrency']
    return (isMap(node) ? pairsOf(node) : [])
      .filter((pair) => keyOf(pair) === 'queue')
      .map(({ key }) => ({ key, path: [...path, 'queue'] }))
  }
  const ids = isMap(jobs.value) ? pairsOf(jobs.value) : []
  return [
    ...among(sections.get('concurrency')?.value, []),
    ...ids.flatMap((pair) => {
      const own = isMap(pair.value)
        ? pairsOf(pair.value).find((one) => keyOf(one) === 'concurrency')
        : undefined
      return among(own?.value, ['jobs', keyOf(pair)])
    }),
  ]
}
