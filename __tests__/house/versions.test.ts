import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { runAction } from '../support/action.ts'
import { startBuiltRelay } from '../support/built-relay.ts'
import { runShared } from '../support/cli.ts'
import { startGitHub } from '../support/github.ts'
import { NODE24 } from '../support/node24.ts'

/** The files of each released version, which `npm run fixtures` wrote. */
const VERSIONS = join(import.meta.dirname, '../fixtures/versions')
const onNode24 = NODE24 === null ? test.skip : test

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hookline-versions-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

test('this version is one of them', () => {
  const { version } = JSON.parse(
    readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8'),
  )
  expect(readdirSync(VERSIONS)).toContain(version)
})

describe.each(readdirSync(VERSIONS))('the files of version %s', (version) => {
  const files = join(VERSIONS, version)

  onNode24('its database: events, the open batch and the endpoint are there', async () => {
    cpSync(join(files, 'relay.db'), join(folder, 'relay.db'))
    const { endpoint, ...settings } = JSON.parse(readFileSync(join(files, 'relay.json'), 'utf8'))
    const github = await startGitHub()
    const relay = await startBuiltRelay({
      folder,
      settings: {
        ...settings,
        HOOKLINE_API_URL: github.url,
        HOOKLINE_GITHUB_TOKEN: 'ghp_of-the-relay-of-the-fixture',
      },
    })
    for (let n = 0; n < 500 && github.calls.length < 3; n++) await pause(20)
    const payloads = github.calls.map(({ body }) => JSON.parse(body).client_payload)
    const single = payloads.filter(({ headers }) => !('x-hookline-batch' in headers))
    expect(single.map(({ body }) => body).toSorted()).toEqual(['"waiting 1"', '"waiting 2"'])
    expect(payloads.map(({ headers }) => headers['x-hookline-batch'])).toContain('2')
    const answer = await fetch(relay.url + endpoint, { method: 'POST', body: 'new' })
    expect(answer.status).toBe(200)
    await relay.stop()
    await github.close()
  })

  test('its state file: an event that is done is not passed on again', async () => {
    cpSync(join(files, 'state.json'), join(folder, 'state.json'), { recursive: true })
    const triggered = async (body: string) => {
      const client_payload = { path: 'hook/webhook', method: 'POST', headers: {}, body }
      const { outputs } = await runAction({
        event: 'repository_dispatch',
        payload: { action: 'webhook', client_payload },
        inputs: {
          on: 'webhook: { config: { shouldDeduplicate: true } }',
          state: 'file:state.json',
        },
        workspace: folder,
      })
      return outputs.triggered
    }
    expect(await triggered('"kept"')).toBe('false')
    expect(await triggered('"new"')).toBe('true')
  })

  test('its compiled file: check reads it, and build writes it anew', async () => {
    cpSync(join(files, 'compiled'), folder, { recursive: true })
    for (const args of [['build'], ['check']]) {
      const { exitCode, stderr } = await runShared(args, { cwd: folder })
      expect({ args, exitCode, stderr: exitCode === 0 ? '' : stderr }).toEqual({
        args,
        exitCode: 0,
        stderr: '',
      })
    }
  })
})

function pause(milliseconds: number) {
  return new Promise((resolve) => setTimeout(resolve, milliseconds))
}
