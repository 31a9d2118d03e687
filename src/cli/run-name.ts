import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type DispatchEvent, WORKFLOW_INPUT } from '../wire/payload.ts'
import { printable } from '../wire/printable.ts'
import { NATIVE_FOLDER } from './files.ts'

const DELIVERY: Readonly<Record<DispatchEvent, string>> = {
  repository_dispatch: "github.event.client_payload.headers['x-hookline-delivery']",
  workflow_dispatch: `fromJSON(inputs.${WORKFLOW_INPUT} || '{}').headers['x-hookline-delivery']`,
}

/** The line of a workflow file by which its runs name the delivery that started them. */
export function runNameLine(
  workflow: string,
  event: DispatchEvent = 'repository_dispatch',
): string {
  return `run-name: ${printable(workflow)} \${{ ${DELIVERY[event]} }}`
}

/** What to add to a workflow whose runs do not name their delivery. */
export function nameAdvice(workflow: string, event?: DispatchEvent): string {
  const line = runNameLine(workflow, event)
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
