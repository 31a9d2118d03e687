import type { Problem } from '../wire/errors.ts'

/** A workflow file by its place. */
export interface NamedFile {
  /** File name without its extension. */
  readonly name: string
  readonly file: string
}

/** Names that Windows reads as devices, whatever their extension. */
const DEVICES = /^(con|prn|aux|nul|com[0-9]|lpt[0-9])(\.|$)/i

/** The files that a workflow of this name becomes. */
export function compiledNames(name: string): { readonly listening: string; readonly jobs: string } {
  return { listening: `${name}.yml`, jobs: `${name}.jobs.yml` }
}

/** What stands against compiling these files side by side: every name must be a file's and a URL's. */
export function nameProblems(files: readonly NamedFile[]): Problem[] {
  return [...files.flatMap(badName), ...collisions(files)]
}

function badName({ name, file }: NamedFile): Problem[] {
  if (/^[A-Za-z0-9_-][A-Za-z0-9._-]*$/.test(name) && !DEVICES.test(name)) return []
  return [
    {
      message: `${JSON.stringify(file)} cannot be compiled under this name`,
      notes: ['a webhook URL names a workflow by its file name: letters, digits, ".", "_" and "-"'],
    },
  ]
}

/** Compared without case, as some file systems do. */
function collisions(files: readonly NamedFile[]): Problem[] {
  const owners = new Map<string, NamedFile>()
  return files.flatMap((file) => {
    const { listening, jobs } = compiledNames(file.name)
    const other = [listening, jobs].map((name) => owners.get(name.toLowerCase())).find(Boolean)
    for (const name of [listening, jobs]) owners.set(name.toLowerCase(), file)
    return other ? [collision(other, file)] : []
  })
}

function collision(one: NamedFile, other: NamedFile): Problem {
  return {
    message: `${one.file} and ${other.file} would be compiled into the same file`,
    notes: [`rename one of them: x.yml becomes x.yml and x.jobs.yml`],
  }
}
