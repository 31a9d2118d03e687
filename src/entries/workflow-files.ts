import { readdirSync, readFileSync } from 'node:fs'
import { basename, join, relative, sep } from 'node:path'
import { minimatch } from 'minimatch'
import type { WorkflowSource } from '../engine/events.ts'
import { UserError } from '../protocol/errors.ts'
import type { Contexts } from '../workflow/expressions.ts'
import { readWorkflowFile } from '../workflow/workflow.ts'

/** A workflow file as globs found it; its text is read when it is asked for. */
export interface WorkflowFile {
  /** File name without its extension, as webhook URLs name it. */
  readonly name: string
  /** Path from the root, with forward slashes. */
  readonly file: string
}

/**
 * The workflow files that globs name, in alphabetical order. Only the names of files are looked at.
 *
 * @param globs in minimatch's language, relative to `root`; one that begins with `!` takes files out
 */
export function findWorkflowFiles(root: string, globs: readonly string[]): WorkflowFile[] {
  const wanted = globs
    .filter((glob) => !glob.startsWith('!'))
    .map((glob) => relativeGlob(root, glob))
  const unwanted = globs
    .filter((glob) => glob.startsWith('!'))
    .map((glob) => relativeGlob(root, glob.slice(1)))
  const files = wanted.flatMap((glob) =>
    filesBelow(root, glob).filter((file) => minimatch(file, glob)),
  )
  return [...new Set(files)]
    .filter((file) => !unwanted.some((glob) => minimatch(file, glob)))
    .sort()
    .map((file) => ({ name: basename(file).replace(/\.[^.]+$/, ''), file }))
}

/**
 * Workflows from files. For a webhook only the file that its path names is read and parsed.
 *
 * @throws UserError when the globs match no file at all
 */
export function workflowFileSource(options: {
  readonly root: string
  readonly globs: readonly string[]
  readonly calling: string
  readonly contexts: Contexts
}): WorkflowSource {
  const { root, globs, calling, contexts } = options
  const files = findWorkflowFiles(root, globs)
  if (files.length === 0) throw noFiles(globs)
  return {
    calling,
    names: () => files.map(({ name }) => name),
    find(name) {
      const found = workflowFileNamed(files, name)
      if (!found) return undefined
      const { file } = found
      return readWorkflowFile(name, { name: file, file, text: readText(root, file) }, contexts)
    },
  }
}

function noFiles(globs: readonly string[]): UserError {
  return new UserError({
    message: `no workflow file matches ${globs.join(', ')}`,
    notes: [
      'the repository must be checked out first (actions/checkout)',
      'or give the triggers in the input "on": then no file is needed',
    ],
  })
}

/** @throws UserError when two files have the name, since a URL could not tell them apart */
function workflowFileNamed(files: readonly WorkflowFile[], name: string): WorkflowFile | undefined {
  const [file, ...others] = files.filter((candidate) => candidate.name === name)
  if (others.length === 0) return file
  const both = [file, ...others].map((one) => one?.file).join(' and ')
  throw new UserError({
    message: `two workflow files are named "${name}": ${both}`,
    notes: ['a webhook URL names a workflow by its file name alone: rename one of them'],
  })
}

function readText(root: string, file: string): string {
  try {
    return readFileSync(join(root, file), 'utf8')
  } catch (cause) {
    throw new UserError({ message: `${file} cannot be read` }, { cause })
  }
}

function relativeGlob(root: string, glob: string): string {
  const unrooted = glob.startsWith('/') ? relative(root, glob) : glob
  return unrooted.replace(/^\.\//, '')
}

/** Every file below the part of a glob that has no wildcard. */
function filesBelow(root: string, glob: string): string[] {
  const segments = glob.split('/')
  const wild = segments.findIndex((segment) => /[*?[\]{}()!+@]/.test(segment))
  if (wild < 0) return [glob]
  const base = segments.slice(0, wild).join('/')
  return listRecursively(join(root, base)).map((file) => (base ? `${base}/${file}` : file))
}

function listRecursively(folder: string): string[] {
  try {
    const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    return names.map((name) => name.split(sep).join('/'))
  } catch {
    return []
  }
}
