import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { TRIGGERS } from '../../src/triggers/index.ts'
import { type ActionResult, type ActionRun, dispatchEvent, runActions } from '../support/action.ts'
import { payloadOf } from '../support/receive.ts'
import { RECORDED } from './recorded.ts'
import { RECEIVED, type Recorded, SECRETS } from './recording.ts'

const secrets = JSON.stringify(SECRETS)

function eventOf(recorded: Recorded, headers: Recorded['headers']): Omit<ActionRun, 'inputs'> {
  const { trigger, contentType, moreHeaders, body } = recorded
  const all = { 'Content-Type': contentType, ...moreHeaders, ...headers }
  return dispatchEvent(payloadOf(trigger, { headers: all, body, receivedAt: RECEIVED }))
}

/** The step with the triggers in its input. */
function inline({ trigger, verify }: Recorded, event: Omit<ActionRun, 'inputs'>) {
  const on = verify ? `${trigger}:\n  verify: ${verify}` : trigger
  return { ...event, inputs: { on, secrets } }
}

/** The step with the triggers in a workflow file of the repository. */
async function inFile({ trigger, verify }: Recorded, event: Omit<ActionRun, 'inputs'>) {
  const workspace = await mkdtemp(join(folder, 'repository-'))
  const options = verify ? `\n    verify: ${verify}` : ''
  await mkdir(join(workspace, 'workflows'))
  await writeFile(
    join(workspace, 'workflows/hook.yml'),
    `name: A hook\non:\n  ${trigger}:${options}\njobs: {}\n`,
  )
  return { ...event, workspace, inputs: { secrets } }
}

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hookline-senders-'))
})
afterAll(() => rm(folder, { recursive: true }))

/** The request with another body and the same signature. */
function forged(recorded: Recorded): Recorded {
  return { ...recorded, body: recorded.body.replace('e', 'E') }
}

const VERIFIED = RECORDED.filter(({ verify }) => verify)
const ALL = [...RECORDED, ...VERIFIED.map(forged)]

function outputsOf({ outputs }: ActionResult, trigger: string): Record<string, unknown> {
  const [context] = JSON.parse(outputs.items ?? '[]')
  return context[trigger].outputs
}

describe('by the built action', () => {
  let results: readonly ActionResult[]

  beforeAll(async () => {
    const runs = ALL.map((recorded) => inline(recorded, eventOf(recorded, recorded.headers)))
    results = await runActions(runs)
  })

  const resultOf = (at: number): ActionResult => {
    const result = results[at]
    if (!result) throw new Error('it was not run')
    return result
  }

  test.each(RECORDED)('$name', (recorded) => {
    const { trigger, hidden = [] } = recorded
    const result = resultOf(RECORDED.indexOf(recorded))
    expect(result.exitCode).toBe(0)
    expect(result.outputs).toMatchObject({
      triggered: 'true',
      trigger,
      workflow: 'hook',
      count: '1',
    })
    expect(outputsOf(result, trigger)).toMatchObject(recorded.outputs)
    for (const text of hidden) {
      expect(text).not.toBe('')
      expect(JSON.stringify(result.outputs)).not.toContain(text)
    }
    for (const field of Object.keys(TRIGGERS.get(trigger)?.outputs ?? {})) {
      const wanted = recorded.outputs[field]
      const text = typeof wanted === 'string' ? wanted : JSON.stringify(wanted ?? null)
      if (wanted !== undefined) expect(result.outputs[field]).toBe(text)
    }
  })

  test.each(VERIFIED)('$name, forged', (recorded) => {
    const { trigger } = recorded
    const result = resultOf(RECORDED.length + VERIFIED.indexOf(recorded))
    expect(result.exitCode).toBe(0)
    expect(result.outputs).toMatchObject({ triggered: 'false', items: '[]', count: '0' })
    expect(result.stdout).toMatch(/^::warning::signature verification failed/m)
    expect(result.summary).toContain('signature verification failed')
    for (const text of Object.values(SECRETS)) {
      expect(result.stdout + result.summary).not.toContain(text)
    }
    expect(result.stdout).not.toContain(trigger === 'slack' ? 'PLX28' : SECRETS.SENDER)
  })
})

test('a trigger in a workflow file is verified as one in the input "on"', async () => {
  const [recorded] = VERIFIED
  if (!recorded) throw new Error('no recorded request is signed')
  const runs = [recorded, forged(recorded)].map((one) =>
    inFile(one, eventOf(one, recorded.headers)),
  )
  const results = await runActions(await Promise.all(runs))
  expect(results.map(({ outputs }) => outputs.triggered)).toEqual(['true', 'false'])
})
