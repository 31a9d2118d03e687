import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { AGENT_NAMES } from '../../../src/cli/agents.ts'
import type { DoctorFinding } from '../../../src/cli/doctor/findings.ts'
import { agentKind } from '../../../src/cli/init/agent.ts'
import { type GitHub, startGitHub } from '../../support/github.ts'
import { examineAt } from './examination.ts'
import { json, type Setting } from './stand-in.ts'

let platform: GitHub
beforeAll(async () => {
  platform = await startGitHub({ listsRunsByRule: true })
})
beforeEach(() => platform.reset())
afterAll(() => platform.close())

/** The workflow that `init` writes for an agent. */
function written(agent: string, actor = ''): string {
  const answers = { kind: 'agent', name: 'agent', repository: 'octo/repo', relay: 'https://r.test' }
  const [file] = agentKind(agent)?.files({ ...answers, actor }) ?? []
  return file?.text ?? ''
}

const at = {
  user: '/user',
  ofRepository: '/repos/octo/repo/actions/secrets/ANTHROPIC_API_KEY',
  ofEnvironment: '/repos/octo/repo/environments/agent/secrets/ANTHROPIC_API_KEY',
  ofOrganization: '/repos/octo/repo/actions/organization-secrets',
  setting: '/repos/octo/repo/actions/permissions/workflow',
}
const forbidden = json(403, { message: 'Resource not accessible by personal access token' })
const allowsPullRequests = (can_approve_pull_request_reviews: boolean) =>
  json(200, { default_workflow_permissions: 'read', can_approve_pull_request_reviews })

/** Everything is set up, and the owner of the token is a person. */
const READY: NonNullable<Setting['at']> = {
  [at.user]: json(200, { login: 'octocat', type: 'User' }),
  [at.ofRepository]: json(200, { name: 'ANTHROPIC_API_KEY' }),
  [at.setting]: allowsPullRequests(true),
}

async function agentFindings(
  text: string,
  more: Setting['at'] = {},
  actor?: string,
): Promise<DoctorFinding[]> {
  const setting = { workflows: { 'agent.yml': text }, at: { ...READY, ...more } }
  const findings = await examineAt(platform, setting, { workflow: 'agent', actor })
  return findings.filter(({ check }) => check === 'agent')
}

const codes = (findings: readonly DoctorFinding[]) => findings.map(({ code }) => code)
const CLAUDE = written('claude')

test.each([
  ['for a person', 'claude', '', undefined],
  ['for a GitHub App', 'claude', 'my-relay[bot]', 'my-relay[bot]'],
  ['for a GitHub App in another case', 'claude', 'My-Relay[bot]', 'my-relay[bot]'],
] as const)('everything is ok %s', async (_, agent, named, actor) => {
  expect(codes(await agentFindings(written(agent, named), {}, actor))).toEqual(['ok', 'ok', 'ok'])
})

test.each([
  ['claude', 'allowed_bots'],
  ['codex', 'allow-bot-users'],
])('the action of %s refuses an App that the workflow does not name', async (agent, input) => {
  for (const named of ['', 'octocat', 'other[bot]']) {
    const [actor] = await agentFindings(written(agent, named), {}, 'my-relay[bot]')
    expect(actor).toMatchObject({ status: 'failed', code: 'agent_actor_refused' })
    expect(actor?.hint).toContain(`${input}: my-relay[bot]`)
  }
})

test('run-gemini-cli accepts every account that can start the workflow', async () => {
  const found = await agentFindings(written('gemini'), {}, 'my-relay[bot]')
  expect(codes(found)).not.toContain('agent_actor_refused')
})

test.each(['${{ github.actor }}', '"*"'])('%s as the App is a warning', async (value) => {
  const text = written('claude', 'my-relay[bot]').replace(/(allowed_bots:).*/, `$1 ${value}`)
  expect(codes(await agentFindings(text, {}, 'my-relay[bot]'))).toContain('agent_actor_any')
})

test('the token of an installation does not tell its account', async () => {
  const [actor] = await agentFindings(CLAUDE, { [at.user]: forbidden })
  expect(actor).toMatchObject({ status: 'unknown', code: 'agent_actor_unknown' })
})

const none = json(404, { message: 'Not Found' })
const KEY = [{ name: 'ANTHROPIC_API_KEY' }]

test.each([
  ['of the environment', { [at.ofRepository]: none, [at.ofEnvironment]: json(200, {}) }, 'ok'],
  [
    'of the organization',
    { [at.ofRepository]: none, [at.ofOrganization]: json(200, { secrets: KEY }) },
    'ok',
  ],
  ['that does not exist', { [at.ofRepository]: none }, 'agent_key_missing'],
  [
    'that does not exist, while the organization has others',
    { [at.ofRepository]: none, [at.ofOrganization]: json(200, { secrets: [{ name: 'A' }] }) },
    'agent_key_missing',
  ],
  ['that the token cannot see', { [at.ofRepository]: forbidden }, 'agent_key_unknown'],
] as const)('the key %s', async (_, answers, code) => {
  const [, key] = await agentFindings(CLAUDE, answers)
  expect(key?.code).toBe(code)
  if (code !== 'ok') expect(key?.hint).toContain('gh secret set ANTHROPIC_API_KEY')
})

test.each([
  ['is off', allowsPullRequests(false), 'warning', 'agent_pull_request_off'],
  ['is not visible', forbidden, 'unknown', 'agent_pull_request_unknown'],
] as const)('the setting for pull requests %s', async (_, answer, status, code) => {
  const [, , setting] = await agentFindings(CLAUDE, { [at.setting]: answer })
  expect(setting).toMatchObject({ status, code })
})

test('a job without the permission to open pull requests', async () => {
  const found = await agentFindings(CLAUDE.replace(/^ +pull-requests: write\n/m, ''))
  const missing = found.find(({ code }) => code === 'agent_permission_missing')
  expect(missing?.message).toContain('pull-requests: write')
})

test.each(AGENT_NAMES)('doctor sends only GET requests for %s', async (agent) => {
  await agentFindings(written(agent))
  expect(new Set(platform.calls.map(({ method }) => method))).toEqual(new Set(['GET']))
})
