import type { CompiledFile } from './compile.ts'
import { originOf } from './generated.ts'

/** What is to happen to one file of `.github/workflows`. */
export interface Change {
  readonly name: string
  readonly source: string
  /** `stale`: nothing is compiled into it any more. */
  readonly status: 'new' | 'changed' | 'unchanged' | 'stale'
  /** What stands there; empty for a new file. */
  readonly before: string
  /** What is to stand there; empty for a stale file. */
  readonly after: string
}

/**
 * How the compiled files that are there differ from those that should be.
 *
 * @param there the compiled files, by name
 * @param isGone whether a source, by its path, has nothing compiled any more
 */
export function changesOf(
  compiled: readonly CompiledFile[],
  there: ReadonlyMap<string, string>,
  isGone: (source: string) => boolean,
): Change[] {
  const wanted = compiled.map(({ name, text }): Change => {
    const before = there.get(name) ?? ''
    const source = originOf(text)?.source ?? ''
    return { name, source, status: statusOf(there.has(name), before, text), before, after: text }
  })
  const stale = [...there].flatMap(([name, before]): Change[] => {
    const source = originOf(before)?.source ?? ''
    const isWanted = compiled.some((file) => file.name === name)
    return !isWanted && isGone(source) ? [{ name, source, status: 'stale', before, after: '' }] : []
  })
  return [...wanted, ...stale]
}

/** Line breaks of Windows, as Git may write them, are no difference. */
function statusOf(isThere: boolean, before: string, after: string): Change['status'] {
  if (!isThere) return 'new'
  return before.replaceAll('\r\n', '\n') === after ? 'unchanged' : 'changed'
}
