import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { DispatchEvent } from '../wire/payload.ts'
import { printable } from '../wire/printable.ts'
import { runNameLine } from '../workflow/run-name.ts'
import { NATIVE_FOLDER } from './files.ts'

/** The line to add to a workflow whose runs do not name their delivery. */
export function nameAdvice(workflow: string, event?: DispatchEvent): string {
  const line = runNameLine(printable(workflow), event)
  return `to tell which delivery started a run, add to ${printable(workflow)}:\n  ${line}`
}

/** The same for a workflow file of this clone; `undefined` where it names its runs, or is not here. */
export function adviceAt(root: string, workflow: string): string | undefined {
  const paths = ['.yml', '.yaml'].map((end) => join(root, NATIVE_FOLDER, `${workflow}${end}`))
  const path = paths.find((each) => existsSync(each))
  if (path === undefined) return undefined
  const text = readFileSync(path, 'utf8')
  // The key with what is indented below it.
  const [named = ''] = /^["']?run-name["']?\s*:.*(?:\n[ \t].*)*/m.exec(text) ?? []
  if (named.includes('-delivery')) return undefined
  const isDirect = !text.includes('repository_dispatch') && text.includes('workflow_dispatch')
  return nameAdvice(workflow, isDirect ? 'workflow_dispatch' : 'repository_dispatch')
}
