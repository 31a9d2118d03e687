import { expect } from '@jest/globals'
import { alarmNotification } from '../../src/relay/delivery/alarms.ts'
import { runNotification } from '../../src/relay/delivery/follow-runs.ts'
import type { RunOutcome } from '../../src/relay/store/delivery-rows.ts'
import { dispatchEvent, runInShared } from '../support/action.ts'
import type { Block, Page } from './pages.ts'
import type { Session } from './session.ts'

/** Checks JSON of a page by its kind: a saved request, or a context of outputs. */
export async function runJson({ text }: Block, _: Page, session: Session): Promise<void> {
  const value = JSON.parse(text)
  if ('method' in value && 'path' in value) return sendSaved(text, session)
  if ('webhook' in value) return compareContext(value)
  if ('github-actions' in value) return checkRenovate(value)
  if ('accepted_at' in (value.data ?? {})) return compareNotification(value)
  if ('alarm' in (value.data ?? {})) return compareAlarm(value)
  throw new Error(`nobody knows how to run JSON with the keys ${Object.keys(value).join(', ')}`)
}

/** Sends to the local engine that an earlier block started. */
async function sendSaved(text: string, session: Session): Promise<void> {
  session.write('saved.json', text)
  const { code, stdout, stderr } = await session.run(
    'hookline send http://localhost:3000/webhook --file saved.json',
  )
  // On a slow machine it prints to standard error what it waits for.
  expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toContain('{"success":true}')
}

async function compareContext(context: { webhook: { outputs: { body: unknown } } }): Promise<void> {
  const body = JSON.stringify(context.webhook.outputs.body)
  const inputs = { on: 'webhook' }
  const { outputs } = await runInShared({
    ...dispatchEvent({ path: 'hook/webhook', body }),
    inputs,
  })
  expect(JSON.parse(outputs.on ?? '')).toMatchObject(context)
}

/** A notification must be the one that the relay sends for this outcome. */
function compareNotification(shown: {
  timestamp: string
  data: {
    delivery: string
    repository: string
    endpoint: string
    outcome: RunOutcome
    accepted_at: string
  }
}): void {
  const { delivery: id, repository, outcome, accepted_at } = shown.data
  const [owner = '', endpoint = ''] = shown.data.endpoint.split('/')
  const event = { id, owner, repository, endpoint, accepted: Date.parse(accepted_at) }
  const step = { outcome, outcomeReason: null, conclusion: null, run: null }
  const { body } = runNotification(event, step, Date.parse(shown.timestamp))
  expect(JSON.parse(body)).toEqual(shown)
}

/** A notification must be the one that the relay sends for this alarm. */
function compareAlarm(shown: {
  timestamp: string
  data: { alarm: 'silent' | 'no_runs'; subject: string; since: string; active: boolean }
}): void {
  const { alarm: kind, subject, since, active } = shown.data
  const alarm = { kind, subject, since: Date.parse(since) }
  const { body } = alarmNotification(alarm, active, Date.parse(shown.timestamp))
  expect(JSON.parse(body)).toEqual(shown)
}

/** Renovate must read the sources, in addition to the native workflows that it reads by default. */
function checkRenovate(config: { 'github-actions': { managerFilePatterns: string[] } }): void {
  const [pattern = ''] = config['github-actions'].managerFilePatterns
  const written = new RegExp(pattern.replace(/^\/|\/$/g, ''))
  const found = ['workflows/hook.yml', '.github/workflows/hook.yml', 'workflows/a.md'].filter(
    (file) => written.test(file),
  )
  expect(found).toEqual(['workflows/hook.yml'])
}
