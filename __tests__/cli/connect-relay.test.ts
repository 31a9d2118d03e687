import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { endpointName } from '../../src/cli/connect/public-relay.ts'
import { RunningCommand, runShared } from '../support/cli.ts'
import { type GitHub, startGitHub } from '../support/github.ts'
import { describeOnNode24 } from '../support/node24.ts'
import { type RelayProcess, startRelayProcess } from '../support/relay-process.ts'
import { type Ending, LISTENING, RUN, withRun } from './doctor/stand-in.ts'

const TOKEN = `github_pat_${'J7dQx2LkV9sWmB4tYzR6nHcP0fUaE3oXgiS1abcd'}`

test.each([
  ['octo/Shop', 'orders', 'webhook', 'shop-orders'],
  ['octo/shop', 'bot', 'messaging_bot', 'shop-bot-messaging_bot'],
  ['octo/.github', 'hook', 'webhook', 'github-hook'],
])('the endpoint of %s %s/%s is called %s', (repository, workflow, trigger, name) => {
  expect(endpointName({ repository, workflow, trigger })).toBe(name)
})

describeOnNode24('connect --relay', () => {
  let folder: string
  let platform: GitHub
  let relay: RelayProcess
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'connect-relay-'))
    mkdirSync(join(folder, '.github/workflows'), { recursive: true })
    writeFileSync(join(folder, '.github/workflows/hook.yml'), LISTENING)
    const git = (...args: readonly string[]) =>
      execFileSync('git', args, { cwd: folder, env: { PATH: process.env.PATH, HOME: folder } })
    git('init', '-q', '-b', 'trunk')
    git('remote', 'add', 'origin', 'https://github.com/octo/repo.git')
    platform = await startGitHub({ listsRunsByRule: true })
    relay = await startRelayProcess({ HOOKLINE_API_URL: platform.url })
  })
  afterAll(async () => {
    await Promise.all([relay.close(), platform.close()])
    rmSync(folder, { recursive: true })
  })

  const connect = async (ending: Ending = {}) => {
    const answering = withRun({ workflows: { 'hook.yml': LISTENING } }, ending)
    platform.always((call, response) => {
      const answer = answering(call, response)
      // The run is as new as the event.
      const body = answer?.body?.replaceAll('2026-01-01T00:00:00Z', new Date().toISOString())
      return answer && { ...answer, ...(body !== undefined && { body }) }
    })
    const args = ['connect', '--relay', relay.url, '--send-test', '--json']
    const env = {
      ...{ PATH: process.env.PATH ?? '', HOME: folder, HOOKLINE_DATA: relay.data },
      ...{ HOOKLINE_API_URL: platform.url, HOOKLINE_GITHUB_TOKEN: TOKEN },
    }
    const running = new RunningCommand(args, { cwd: folder, env })
    running.process.stdin?.end()
    const code = await running.ended()
    const events = running.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    return { code, events, errors: running.stderr }
  }

  test('creates the endpoint, follows the first run, and ends; the URL stays', async () => {
    const { code, events, errors } = await connect()
    const [ready] = events
    expect(errors).not.toContain(TOKEN)
    expect(ready.url).toMatch(new RegExp(`^${relay.url}/-/octo/[\\w-]{22}$`))
    expect(events.at(-2)).toMatchObject({ event: 'end', run: RUN, outcome: 'success' })
    expect(events.at(-1)).toMatchObject({ event: 'bye', reason: 'first run' })
    expect(code).toBe(0)
    expect((await fetch(ready.url, { method: 'POST', body: '{}' })).status).toBe(200)
    // Another start keeps the URL, and exits with 1 if the run failed.
    const again = await connect({ conclusion: 'failure' })
    expect(again.events[0].url).toBe(ready.url)
    expect(again.events.at(-2)).toMatchObject({ event: 'end', outcome: 'failure' })
    expect(again.code).toBe(1)
  })

  test('cannot be combined with the flags of a relay in this process', async () => {
    const args = ['connect', '--relay', relay.url, '--port', '8080']
    const { exitCode, stderr } = await runShared(args, { cwd: folder })
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('--relay cannot be combined')])
  })
})
