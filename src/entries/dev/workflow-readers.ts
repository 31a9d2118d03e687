import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { WorkflowSource } from '../../engine/events.ts'
import type { Reader } from '../../inspector/api.ts'
import { nativeReaders } from '../../inspector/readers.ts'

const NATIVE_FOLDER = '.github/workflows'

/**
 * Who can read the outputs of a workflow's triggers: the source itself, once it is compiled, and the
 * native workflow files that have the action read it; or the native file that declares them inline.
 */
export function workflowReaders(root: string, name: string, source: WorkflowSource): Reader[] {
  const file = fileOf(name, source)
  if (file === undefined) return []
  if (file.startsWith(`${NATIVE_FOLDER}/`)) return readersIn(root, file, 'inline')
  const native = listed(join(root, NATIVE_FOLDER)).filter((entry) => /\.ya?ml$/.test(entry))
  const others = native.flatMap((entry) => readersIn(root, `${NATIVE_FOLDER}/${entry}`, 'files'))
  return [{ kind: 'source', file }, ...others]
}

/** `undefined` for a file with mistakes, or none. */
function fileOf(name: string, source: WorkflowSource): string | undefined {
  try {
    return source.find(name)?.triggers[0]?.positionOf([]).source.file
  } catch {
    return undefined
  }
}

function readersIn(root: string, file: string, reads: 'inline' | 'files'): Reader[] {
  try {
    const text = readFileSync(join(root, file), 'utf8')
    return nativeReaders({ name: file, file, text }, reads)
  } catch {
    return []
  }
}

function listed(folder: string): string[] {
  try {
    return readdirSync(folder).sort()
  } catch {
    return []
  }
}
