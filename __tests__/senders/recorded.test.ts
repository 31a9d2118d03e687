import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { TRIGGERS } from '../../src/triggers/index.ts'
import { type ActionResult, type ActionRun, dispatchEvent, runAction } from '../support/action.ts'
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
  return runAction({ ...event, inputs: { on, secrets } })
}

/** The step with the triggers in a workflow file of the repository. */
async function inFile({ trigger, verify }: Recorded, event: Omit<ActionRun, 'inputs'>) {
  const workspace = await mkdtemp(join(tmpdir(), 'hookline-senders-'))
  const options = verify ? `\n    verify: ${verify}` : ''
  await mkdir(join(workspace, 'workflows'))
  await writeFile(
    join(workspace, 'workflows/hook.yml'),
    `name: A hook\non:\n  ${trigger}:${options}\njobs: {}\n`,
  )
  const result = await runAction({ ...event, workspace, inputs: { secrets } })
  await rm(workspace, { recursive: true })
  return result
}

function outputsOf({ outputs }: ActionResult, trigger: string): Record<string, unknown> {
  const [context] = JSON.parse(outputs.items ?? '[]')
  return context[trigger].outputs
}

describe.each([
  ['in the input "on"', inline],
  ['in a workflow file', inFile],
])('with the trigger %s', (_, run) => {
  test.each(RECORDED)('$name', async (recorded) => {
    const { trigger, headers, hidden = [] } = recorded
    const result = await run(recorded, eventOf(recorded, headers))
    expect(result.stderr).toBe('')
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

  test.each(RECORDED.filter(({ verify }) => verify))('$name, forged', async (recorded) => {
    const { trigger, body } = recorded
    const forged = { ...recorded, body: body.replace('e', 'E') }
    const result = await run(forged, eventOf(forged, recorded.headers))
    expect(result.exitCode).toBe(0)
    expect(result.outputs).toMatchObject({ triggered: 'false', items: '[]', count: '0' })
    expect(result.stdout).toMatch(/^::warning::a request was not verified/m)
    expect(result.summary).toContain('a request was not verified')
    for (const text of Object.values(SECRETS)) {
      expect(result.stdout + result.summary).not.toContain(text)
    }
    expect(result.stdout).not.toContain(trigger === 'slack' ? 'PLX28' : SECRETS.SENDER)
  })
})
