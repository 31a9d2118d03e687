import type { DispatchEvent } from '../relay/claims.ts'
import { WORKFLOW_INPUT } from '../wire/payload.ts'
import { printable } from '../wire/printable.ts'

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
