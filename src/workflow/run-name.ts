import { type DispatchEvent, WORKFLOW_INPUT } from '../wire/payload.ts'

/** The expression for the delivery id in a run that the event started. */
export const DELIVERY_ID: Readonly<Record<DispatchEvent, string>> = {
  repository_dispatch: "github.event.client_payload.headers['x-hookline-delivery']",
  workflow_dispatch: `fromJSON(inputs.${WORKFLOW_INPUT} || '{}').headers['x-hookline-delivery']`,
}

export function runNameLine(
  workflow: string,
  event: DispatchEvent = 'repository_dispatch',
): string {
  return `run-name: ${workflow} \${{ ${DELIVERY_ID[event]} }}`
}
