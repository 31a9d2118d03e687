import { originOf } from '../compiler/compiled-files.ts'
import { mayUseAction, readNativeWorkflow } from '../compiler/native.ts'
import type { WorkflowSource } from '../engine/engine-ports.ts'
import type { ConcernedFile } from '../inspector/jobs.ts'
import type { Source } from '../wire/errors.ts'
import { NATIVE_FOLDER, nativeFiles, readSource } from './files.ts'

/**
 * The files whose jobs an event for a workflow concerns: the source itself and the native files that
 * have the action read it, or the native file that gives the action its triggers.
 */
export function concernedFiles(
  root: string,
  name: string,
  open: () => WorkflowSource,
): ConcernedFile[] {
  const file = fileOf(name, open)
  if (file === undefined) return []
  const source = sourceAt(root, file)
  if (file.startsWith(`${NATIVE_FOLDER}/`)) return source ? [{ source, kind: 'native' }] : []
  const readers = nativeFiles(root).flatMap((native): ConcernedFile[] => {
    const found = sourceAt(root, native.file)
    return found && readsFiles(native.name, found) ? [{ source: found, kind: 'native' }] : []
  })
  // A source of triggers alone has no jobs of its own.
  return [...(source ? [{ source, kind: 'source' } as const] : []), ...readers]
}

/** The file that declares the triggers of a workflow; `undefined` for a file with mistakes. */
export function fileOf(name: string, open: () => WorkflowSource): string | undefined {
  try {
    return open().find(name)?.triggers[0]?.positionOf([]).source.file
  } catch {
    return undefined // a file with mistakes, of which others tell
  }
}

function sourceAt(root: string, file: string): Source | undefined {
  try {
    return readSource(root, file)
  } catch {
    return undefined // gone meanwhile
  }
}

/** Whether a native file, of a person's own, runs the action on workflow files. */
function readsFiles(name: string, source: Source): boolean {
  try {
    if (!mayUseAction(source.text) || originOf(source.text) !== undefined) return false
    const { uses = [] } = readNativeWorkflow(name, source) ?? {}
    return uses.some(({ on = '' }) => on.trim() === '')
  } catch {
    return false // with mistakes, of which others tell
  }
}
