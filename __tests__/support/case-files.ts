import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export interface CaseFile {
  readonly path: string
  readonly text: string
}

/** The YAML files below a folder. */
export function caseFiles(folder: string): CaseFile[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.yml'))
    .sort()
    .map((path) => ({ path, text: readFileSync(join(folder, path), 'utf8') }))
}

export interface ExpectedFinding {
  readonly level: string
  readonly code: string
  readonly line: number
  /** A part of its message or hint; empty if the file names none. */
  readonly part: string
}

/** The findings that the first lines of a workflow name: `# <level> <code> <line>`, perhaps with ` = <part>`. */
export function expectedFindings({ path, text }: CaseFile): ExpectedFinding[] {
  const [head = ''] = /^(?:#.*\n)*/.exec(text) ?? []
  if (head === '# correct\n') return []
  if (head === '') throw new Error(`${path} begins with neither a finding nor "# correct"`)
  return head
    .trimEnd()
    .split('\n')
    .map((comment) => {
      const found = /^# (\S+) (\S+) (\d+)(?: = (.+))?$/.exec(comment)
      if (!found) throw new Error(`${path}: not a finding: ${comment}`)
      const [, level = '', code = '', line, part = ''] = found
      return { level, code, line: Number(line), part }
    })
}
