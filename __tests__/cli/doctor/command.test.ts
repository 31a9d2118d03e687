import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { withTokenOfGh } from '../../../src/cli/forge-tokens.ts'
import { runShared } from '../../support/cli.ts'
import { type GitHub, startGitHub } from '../../support/github.ts'
import { TOKEN } from '../../support/scene.ts'
import { github, json, type Setting } from './stand-in.ts'

let platform: GitHub

beforeAll(async () => {
  platform = await startGitHub({ listsRunsByRule: true })
})
beforeEach(() => platform.reset())
afterAll(() => platform.close())

async function doctor(setting: Setting, args: readonly string[], env: Record<string, string> = {}) {
  platform.always(github(setting))
  const ended = await runShared(['doctor', '--repository', 'octo/repo', ...args], {
    env: { HOOKLINE_GITHUB_TOKEN: TOKEN, HOOKLINE_API_URL: platform.url, ...env },
  })
  expect(ended.stdout + ended.stderr).not.toContain(TOKEN)
  return ended
}

test('without a fault it sends GET requests only, and exits with 0', async () => {
  const args = ['--workflow', 'hook.yml', '--json']
  const { exitCode, stdout } = await doctor({ scopes: 'repo, gist' }, args)
  const { ok, findings } = JSON.parse(stdout)
  expect({ ok, exitCode }).toEqual({ ok: true, exitCode: 0 })
  expect(findings).toMatchObject([
    { check: 'token', status: 'ok' },
    { check: 'repository', status: 'ok' },
    { check: 'workflow', status: 'ok' },
  ])
  expect(new Set(platform.calls.map(({ method }) => method))).toEqual(new Set(['GET']))
})

test('the unknown permissions of a fine-grained token are no failure', async () => {
  const { exitCode, stdout } = await doctor({}, ['--json'])
  expect(JSON.parse(stdout).findings[0]).toMatchObject({
    status: 'unknown',
    code: 'token_permission_unknown',
  })
  expect(exitCode).toBe(0)
})

test('the text has a line for each check, with the cure below it', async () => {
  const { exitCode, stdout } = await doctor({ scopes: 'gist' }, [])
  expect(stdout).toMatch(/^failed {3}token {7}.*"repo"\n {21}\S/)
  expect(stdout).toMatch(/^ok {7}workflow {4}hook\.yml /m)
  expect(exitCode).toBe(1)
})

test('unreachable servers are two findings', async () => {
  const { exitCode, stdout } = await doctor({}, ['--json', '--relay', 'http://127.0.0.1:9'], {
    HOOKLINE_API_URL: 'http://127.0.0.1:9',
  })
  const { findings } = JSON.parse(stdout)
  expect(findings).toMatchObject([{ code: 'github_unreachable' }, { code: 'relay_unreachable' }])
  expect(exitCode).toBe(1)
})

const WRONG = [
  ['an endpoint and a workflow', ['--endpoint', 'a', '--workflow', 'b'], 2, /--workflow/],
  ['an invalid repository', ['--repository', 'a/b/c'], 1, /owner\/name/],
  ['an invalid relay', ['--relay', 'relay.example.com'], 1, /https:/],
  ['an invalid workflow', ['--workflow', '../../../x y'], 1, /workflow/],
] as const
test.each(WRONG)('%s is refused before anything is asked', async (_, args, code, message) => {
  const { exitCode, stderr } = await doctor({ repository: json(500, {}) }, args)
  expect({ exitCode, stderr }).toEqual({ exitCode: code, stderr: expect.stringMatching(message) })
  expect(platform.calls).toEqual([])
})

describe('on GitHub Enterprise, the cures name its pages, and the token that gh has for it', () => {
  const HOST = { HOOKLINE_SERVER_URL: 'https://github.example.com' }
  const page = 'https://github.example.com/settings/'

  test('without a token', async () => {
    const { stdout } = await doctor({}, [], { ...HOST, HOOKLINE_GITHUB_TOKEN: '' })
    expect(stdout).toContain(`${page}personal-access-tokens/new?`)
    expect(stdout).toContain(
      'HOOKLINE_GITHUB_TOKEN="$(gh auth token --hostname github.example.com)" hookline doctor',
    )
    expect(stdout).not.toMatch(/https:\/\/github\.com|gh auth token\)/)
  })

  test('with a token that the organization has not authorized', async () => {
    const sso = { 'x-github-sso': 'required; url=https://github.example.com/orgs/octo/sso' }
    const { stdout } = await doctor({ repository: json(403, {}, sso) }, [], HOST)
    expect(stdout).toContain(`${page}tokens`)
  })
})

test.each([
  ['github.com', true, 'HOOKLINE_GITHUB_TOKEN="$(gh auth token)" hookline doctor'],
  [
    'github.example.com',
    false,
    'HOOKLINE_API_URL=https://github.example.com/api/v3 HOOKLINE_GITHUB_TOKEN="$(gh auth token --hostname github.example.com)" hookline doctor',
  ],
  [
    '$(touch)',
    true,
    `HOOKLINE_GITHUB_TOKEN="$(gh auth token --hostname '$(touch)')" hookline doctor`,
  ],
])('a command with the token of gh for %s', (host, isConfigured, command) => {
  const apiUrl = new URL('https://github.example.com/api/v3')
  const forge = { kind: 'github', host, webUrl: `https://${host}`, apiUrl, isConfigured } as const
  expect(withTokenOfGh(forge, 'hookline doctor')).toBe(command)
})
