import { readNativeWorkflow } from '../compiler/native.ts'
import { type Source, UserError } from '../wire/errors.ts'
import type { Reader } from './api.ts'

/**
 * Where a native workflow file can read what the action hands on: later steps of its job, later jobs
 * as far as the job hands it on, and a matrix over the items.
 *
 * @param reads only steps that give the action its triggers `inline`, or that have it read `files`
 * @returns none for a file with mistakes, which are told elsewhere
 */
export function nativeReaders(source: Source, reads: 'inline' | 'files'): Reader[] {
  try {
    const uses = readNativeWorkflow(source.name, source)?.uses ?? []
    return uses.flatMap(({ job, step: id = null, on = '', outputs, neededBy, matrices }) => {
      if ((on.trim() !== '') !== (reads === 'inline')) return []
      const step = { id }
      const later = neededBy.map((reader): Reader => {
        // Each item by itself where the matrix of the job goes over them.
        const matrix = matrices.find((one) => one.job === reader)
        return matrix
          ? { kind: 'matrix', file: source.name, reader, name: matrix.key }
          : { kind: 'needs', file: source.name, job, step, reader, outputs }
      })
      return [{ kind: 'steps', file: source.name, job, step } as const, ...later]
    })
  } catch (error) {
    if (error instanceof UserError) return []
    throw error
  }
}
