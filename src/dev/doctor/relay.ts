import { HttpFailure } from '../../wire/http.ts'
import { type Finding, failed, ok } from './finding.ts'
import type { DoctorPorts } from './ports.ts'

/** Whether a relay answers at the address. */
export async function checkRelay(relay: string, { callRelay }: DoctorPorts): Promise<Finding> {
  try {
    const { status, text } = await callRelay(`${relay}/healthz`)
    if (status === 200 && text.trim() === 'ok') return ok('relay', `the relay at ${relay} is up`)
    const message = `what answers at ${relay} is no relay of Hookline (${status} for /healthz)`
    const mend =
      status >= 500
        ? 'see the log of the relay, and of what stands before it'
        : 'check address and port; a proxy must hand on every path'
    return failed('relay', 'relay_not_hookline', message, mend)
  } catch (error) {
    if (!(error instanceof HttpFailure)) throw error
    const mend = 'start it with: hookline relay. Check address, port, firewall and certificate'
    return failed('relay', 'relay_unreachable', `${relay}: ${error.message}`, mend)
  }
}
