import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { printable } from '../wire/printable.ts'
import { runNameLine } from '../workflow/run-name.ts'
import { NATIVE_FOLDER } from './files.ts'

/** The line to add to a workflow file of this clone; `undefined` if its runs name their delivery, or it is not here. */
export function adviceAt(root: string, workflow: string): string | undefined {
  const paths = ['.yml', '.yaml'].map((end) => join(root, NATIVE_FOLDER, `${workflow}${end}`))
  const path = paths.find((each) => existsSync(each))
  if (path === undefined) return undefined
  const text = readFileSync(path, 'utf8')
  // The key with what is indented below it.
  const [named = ''] = /^["']?run-name["']?\s*:.*(?:\n[ \t].*)*/m.exec(text) ?? []
  if (named.includes('-delivery')) return undefined
  const isDirect = !text.includes('repository_dispatch') && text.includes('workflow_dispatch')
  const name = printable(workflow)
  const line = runNameLine(name, isDirect ? 'workflow_dispatch' : 'repository_dispatch')
  return `to tell which delivery started a run, add to ${name}:\n  ${line}`
}
