import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join, relative } from 'node:path'
import { isScalar } from 'yaml'
import type { WorkflowSource } from '../engine/engine-ports.ts'
import { TRIGGERS } from '../triggers/index.ts'
import { systemProblem } from '../wire/system-error.ts'
import type { Contexts } from '../workflow/expressions.ts'
import * as expressions from '../workflow/expressions.ts'
import { FatalMistake } from '../workflow/mistakes.ts'
import { sourceOf } from '../workflow/source-text.ts'
import { readWorkflowFile } from '../workflow/workflow.ts'
import { pairOf, parseYaml } from '../workflow/yaml.ts'

// Exported here, so that a run that needs more than the trigger `webhook` loads one bundle.
export { expressions, TRIGGERS }

/** A workflow file that a glob found; its content is read on demand. */
interface WorkflowFile {
  /** File name without its extension, as webhook URLs name it. */
  readonly name: string
  /** Path from the root, with forward slashes. */
  readonly file: string
}

interface FinderOptions {
  readonly root: string
  /** Globs of minimatch, relative to `root`; a glob that begins with `!` excludes files. */
  readonly globs: readonly string[]
  readonly matcher: (glob: string) => { match(file: string): boolean }
  /** Notes for the user if there is no file at all. */
  readonly advice: readonly string[]
}

/** Workflows from files. For a webhook, only the file that its path names is read. */
export function workflowFileSource(
  options: FinderOptions & { readonly calling: string; readonly contexts: Contexts },
): WorkflowSource {
  const { root, calling, contexts } = options
  const find = workflowFileFinder(options)
  return {
    calling,
    names: () => find().map(({ name }) => name),
    find(name) {
      const [found, ...others] = find(name)
      if (!found) return undefined
      if (others.length > 0) {
        const all = [found, ...others].map(({ file }) => file).join(' and ')
        throw new FatalMistake({
          code: 'same-file',
          message: `two workflow files are named "${name}": ${all}`,
          notes: ['a webhook URL names a workflow by its file name alone: rename one of them'],
        })
      }
      const { file } = found
      let bytes: Uint8Array
      try {
        bytes = readFileSync(join(root, file))
      } catch (cause) {
        const { message = `${file} cannot be read`, hint } = systemProblem(cause, file) ?? {}
        throw new FatalMistake({ code: 'no-file', message, ...(hint && { hint }) }, { cause })
      }
      return readWorkflowFile(name, sourceOf(file, bytes), { contexts, triggers: TRIGGERS })
    },
  }
}

/**
 * Finds the workflow files of the globs, either all of them or those of one name, in alphabetical
 * order. It reads names of files only; a given name is compared before the slower globs.
 */
export function workflowFileFinder({ root, globs, matcher, advice }: FinderOptions) {
  const wanted = globs.filter((glob) => !glob.startsWith('!'))
  const including = wanted.map((glob) => matcher(fromRoot(root, glob)))
  const excluding = globs
    .filter((glob) => glob.startsWith('!'))
    .map((glob) => matcher(fromRoot(root, glob.slice(1))))
  const listed = [...new Set(wanted.flatMap((glob) => candidates(root, glob)))].sort()
  return (name?: string): WorkflowFile[] => {
    const files = listed
      .map((file) => ({ file, name: basename(file).replace(/\.[^.]+$/, '') }))
      .filter((candidate) => name === undefined || candidate.name === name)
      .filter(({ file }) => including.some((glob) => glob.match(file)))
      .filter(({ file }) => !excluding.some((glob) => glob.match(file)))
    if (name === undefined && files.length === 0) {
      throw new FatalMistake({
        code: 'no-file',
        message: `no workflow file matches ${globs.join(', ')}`,
        notes: advice,
      })
    }
    return files
  }
}

const WILDCARD = /[*?[\]{}()!+@]/

/**
 * The folder below which a glob finds files, relative to the root: `workflows` for
 * `./workflows/**`.
 */
export function globFolder(root: string, glob: string): string {
  const segments = fromRoot(root, glob).split('/')
  const wild = segments.findIndex((segment) => WILDCARD.test(segment))
  return segments.slice(0, wild < 0 ? -1 : wild).join('/')
}

/** A glob in the form of the files' paths: `workflows/*.yml`. */
function fromRoot(root: string, glob: string): string {
  return (glob.startsWith('/') ? relative(root, glob) : glob).replace(/^\.\//, '')
}

/** The one file of a glob without a wildcard; otherwise every file below its base. */
function candidates(root: string, glob: string): string[] {
  const pattern = fromRoot(root, glob)
  return WILDCARD.test(pattern) ? listBelow(root, globFolder(root, glob)) : [pattern]
}

/**
 * Lists files by its own recursion, because Node's `recursive` option is ten times as slow: it
 * stats every entry.
 */
function listBelow(root: string, folder: string): string[] {
  const entries = existsSync(join(root, folder))
    ? readdirSync(join(root, folder), { withFileTypes: true })
    : []
  return entries.flatMap((entry) => {
    const path = folder ? `${folder}/${entry.name}` : entry.name
    return entry.isDirectory() ? listBelow(root, path) : [path]
  })
}

/** Names, without extension, of the native workflow files below a folder with this `name:`. */
export function nativeFilesNamed(root: string, name: string): string[] {
  const folder = join(root, '.github/workflows')
  const files = existsSync(folder) ? readdirSync(folder) : []
  return files
    .filter((file) => /\.ya?ml$/.test(file) && nameIn(join(folder, file)) === name)
    .map((file) => file.replace(/\.ya?ml$/, ''))
}

/** The `name:` of a workflow file; `undefined` if it cannot be read. */
function nameIn(path: string): string | undefined {
  try {
    const { contents } = parseYaml(sourceOf(path, readFileSync(path)))
    const name = pairOf(contents, 'name')?.value
    return isScalar(name) && typeof name.value === 'string' ? name.value : undefined
  } catch {
    return undefined
  }
}
