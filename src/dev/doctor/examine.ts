import { HttpFailure } from '../../wire/http.ts'
import { checkDelivery } from './delivery.ts'
import { type Finding, failed } from './finding.ts'
import type { DoctorPorts, Patient } from './ports.ts'
import { checkRelay } from './relay.ts'
import { judgeRepository, NO_TOKEN } from './repository.ts'
import { checkWorkflows } from './workflows.ts'

/** Looks at everything between a sender and a run, in the order in which an event passes it. */
export async function examine(patient: Patient, ports: DoctorPorts): Promise<readonly Finding[]> {
  const platform = await examineGitHub(patient, ports)
  const relay = patient.relay === undefined ? [] : [await checkRelay(patient.relay, ports)]
  const found = [...platform, ...relay]
  const isHopeless = found.some(({ status }) => status === 'failed')
  if (patient.deliver === undefined || isHopeless) return found
  return [...found, await checkDelivery(patient, ports)]
}

async function examineGitHub(patient: Patient, ports: DoctorPorts): Promise<readonly Finding[]> {
  if (!patient.token) return [NO_TOKEN]
  try {
    const { repository } = patient
    const { findings, known } = judgeRepository(
      repository,
      await ports.askGitHub(`/repos/${repository}`),
    )
    return known ? [...findings, ...(await checkWorkflows(patient, known, ports))] : findings
  } catch (error) {
    if (!(error instanceof HttpFailure)) throw error
    const mend = 'check the network, a proxy, and HOOKLINE_API_URL'
    return [failed('token', 'github_unreachable', `GitHub: ${error.message}`, mend)]
  }
}
