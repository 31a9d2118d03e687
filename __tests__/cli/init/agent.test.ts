import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from '@jest/globals'
import { parse } from 'yaml'
import { AGENT_NAMES } from '../../../src/cli/agents.ts'
import { agentKind } from '../../../src/cli/init/agent.ts'
import { DEFAULT_PATHS } from '../../../src/cli/init/proposal.ts'
import { senderNamed } from '../../../src/triggers/senders.ts'
import { Repository } from '../../compiler/support/repository.ts'
import { dispatchEvent, runInShared } from '../../support/action.ts'
import { runShared } from '../../support/cli.ts'
import { checkByLevel } from '../../support/findings.ts'

const PLACE = { repository: 'octo/repo', relay: 'https://relay.example.com' }

function textOf(
  agent: string,
  sender?: string,
  dispatch?: 'workflow',
  more: { readonly actor?: string; readonly paths?: string | undefined } = {},
): string {
  const answers = { ...PLACE, kind: 'agent', name: 'agent', dispatch, ...more }
  const from = sender === undefined ? undefined : senderNamed(sender)
  return agentKind(agent)?.files({ ...answers, sender: from })[0]?.text ?? ''
}

const SENDERS = [undefined, 'linear', 'sentry', 'slack', 'typeform']

test.each(AGENT_NAMES)('check --strict finds nothing in the workflow of %s', async (agent) => {
  for (const dispatch of [undefined, 'workflow'] as const) {
    for (const sender of SENDERS) {
      const repository = new Repository()
      try {
        repository.write('.github/workflows/agent.yml', textOf(agent, sender, dispatch))
        const options = { root: repository.root, globs: [], strict: true }
        const { errors, warnings } = await checkByLevel(options)
        expect([...errors, ...warnings].map(({ message }) => message)).toEqual([])
      } finally {
        repository.remove()
      }
    }
  }
})

test('an agent session of Linear starts the agent', () => {
  const { on } = parse(textOf('claude', 'linear')).jobs.receive.steps[0].with
  const { filter } = parse(on).webhook.config
  expect(filter['body.type'].$in).toContain('AgentSessionEvent')
})

test.each(AGENT_NAMES)(
  'the job of %s has its own secret only, cannot write, and has no untrusted input in its prompt',
  (agent) => {
    const { permissions, jobs } = parse(textOf(agent, 'linear'))
    const { receive, work, propose } = jobs
    const secretsOf = (job: unknown) => JSON.stringify(job).match(/secrets\.\w+/g) ?? []
    expect(permissions).toEqual({})
    expect(work.permissions).toEqual({ contents: 'read' })
    expect(new Set(secretsOf(work))).toEqual(new Set([`secrets.${agentKind(agent)?.secrets?.[0]}`]))
    expect(new Set(secretsOf(receive))).toEqual(new Set(['secrets.LINEAR_SIGNING_SECRET']))
    expect(secretsOf(propose)).toEqual([])
    expect(receive.permissions).toEqual({ contents: 'read' })
    const [runs] = work.steps.filter(
      ({ with: given }: { with?: { prompt?: string } }) => given?.prompt,
    )
    expect(runs.with.prompt).not.toContain('${{')
    // The job ends without a post step of an action, which would run git.
    expect(JSON.stringify(work.steps)).not.toContain('actions/checkout')
    // No agent ran in the job that creates the pull request, and it only gets the patch.
    expect(propose.steps.map(({ uses = 'run' }) => uses.replace(/@.*/, ''))).toEqual([
      'actions/checkout',
      'actions/download-artifact',
      'run',
    ])
  },
)

/** An account that starts a run, as GitHub describes it. */
interface Account {
  readonly login: string
  readonly type: 'User' | 'Bot'
  /** Its permission as a collaborator; `undefined` for an App, which is none. */
  readonly permission?: 'write' | 'read'
}

/** The name without case and `[bot]`, as both actions compare it. */
const plain = (name: string) =>
  name
    .trim()
    .toLowerCase()
    .replace(/\[bot\]$/, '')
const lists = (names: string, { login }: Account) =>
  names.split(',').map(plain).includes(plain(login))

/** The checks of the actions, reduced to their rule. Each takes the input that names Apps. */
const ACCEPTS: Readonly<Record<string, (account: Account, bots: string) => boolean>> = {
  // anthropics/claude-code-action@24dcd50, src/github/validation/actor.ts: checkHumanActor
  claude: (account, bots) => account.type === 'User' || lists(bots, account),
  // openai/codex-action@9cdb6f3, src/checkActorPermissions.ts: ensureActorHasWriteAccess
  codex: (account, bots) =>
    (account.login.endsWith('[bot]') && lists(bots, account)) || account.permission === 'write',
}

const APP: Account = { login: 'my-relay[bot]', type: 'Bot' }
const ACCOUNTS: readonly (readonly [string, Account])[] = [
  ['a GitHub App', APP],
  ['a bot user', { login: 'acme-bot', type: 'User', permission: 'write' }],
  ['a person', { login: 'octocat', type: 'User', permission: 'write' }],
]

const BOTS: Readonly<Record<string, string>> = { claude: 'allowed_bots', codex: 'allow-bot-users' }

function botsOf(agent: string, actor: string): string {
  const { steps } = parse(textOf(agent, 'linear', undefined, { actor })).jobs.work
  const [{ with: inputs }] = steps.filter(({ with: given }: { with?: object }) => {
    return given && 'prompt' in given
  })
  return String(inputs[BOTS[agent] ?? ''] ?? '')
}

describe.each(Object.entries(ACCEPTS))('the action of %s', (agent, accepts) => {
  test.each(ACCOUNTS)('accepts %s that --actor names', (_, account) => {
    expect(accepts(account, botsOf(agent, account.login))).toBe(true)
  })

  test('refuses an App that --actor does not name, also one with the name of a person', () => {
    expect(accepts(APP, botsOf(agent, ''))).toBe(false)
    expect(accepts(APP, botsOf(agent, 'other-relay[bot]'))).toBe(false)
    expect(accepts(APP, botsOf(agent, 'my-relay'))).toBe(false)
  })
})

test.each(['${{ github.actor }}', '*', 'a,b[bot]', 'my relay[bot]', 'x\n[bot]'])(
  'init refuses the actor %j',
  async (actor) => {
    const args = ['init', '--agent', 'claude', '--repository', 'o/r', '--yes', '--actor', actor]
    const { exitCode, stderr } = await runShared(args, { cwd: tmpdir() })
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining('my-relay[bot]')])
  },
)

test.each(['**', '.github/**', '/src/**', ''])('init refuses the paths %j', async (paths) => {
  const args = ['init', '--agent', 'claude', '--repository', 'o/r', '--yes', '--paths', paths]
  const { exitCode, stderr } = await runShared(args, { cwd: tmpdir() })
  expect([exitCode, stderr]).toEqual([1, expect.stringContaining('src/**,docs/**')])
})

test('--paths decides which paths the job may propose', () => {
  const pathsOf = (paths?: string) => {
    const { propose } = parse(textOf('claude', undefined, undefined, { paths })).jobs
    return propose.steps.at(-1).env.PATHS
  }
  expect(pathsOf()).toBe('src/**\nlib/**\ntest/**\ntests/**\ndocs/**\n')
  expect(pathsOf('app/**, README.md')).toBe('app/**\nREADME.md\n')
})

test.each([
  ['--actor', 'octocat'],
  ['--paths', 'src/**'],
])('%s requires --agent', async (...flag) => {
  const { exitCode, stderr } = await runShared(['init', '--yes', ...flag], { cwd: tmpdir() })
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining('--agent')])
})

test('an event of 200 KB is uploaded as a file for the next job', async () => {
  const workspace = mkdtempSync(join(tmpdir(), 'hookline-agent-'))
  try {
    const { receive } = parse(textOf('claude')).jobs
    const [{ with: inputs }, upload] = receive.steps
    const body = { text: 'x'.repeat(200_000) }
    const headers = { 'content-type': 'application/json' }
    const sent = { path: 'agent/webhook', method: 'POST', headers, body: JSON.stringify(body) }
    const run = { ...dispatchEvent(sent), inputs, workspace, calling: 'agent' }
    const { outputs } = await runInShared(run)
    expect(outputs.triggered).toBe('true')
    const event = JSON.parse(readFileSync(join(workspace, upload.with.path), 'utf8'))
    expect(event.body).toEqual(body)
  } finally {
    rmSync(workspace, { recursive: true, force: true })
  }
})

test('init --agent writes the workflow, and prints which secrets to set', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'hookline-agent-'))
  try {
    const args = 'init --agent codex --sender linear --repository octo/repo --yes'.split(' ')
    const { exitCode, stdout } = await runShared(args, { cwd: folder })
    expect(exitCode).toBe(0)
    expect(stdout).toContain('gh secret set LINEAR_SIGNING_SECRET\n')
    expect(stdout).toContain('gh secret set OPENAI_API_KEY\n')
    expect(readFileSync(join(folder, '.github/workflows/agent.yml'), 'utf8')).toContain(
      'codex-action',
    )
    const both = await runShared([...args, '--kind', 'bot', '--name', 'b'], { cwd: folder })
    expect(both.exitCode).toBe(2)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

const pageOf = (name: string) =>
  readFileSync(fileURLToPath(new URL(`../../../${name}`, import.meta.url)), 'utf8')

test('the guide shows the command for each agent', () => {
  const guide = pageOf('docs/guides/coding-agents.md')
  for (const agent of AGENT_NAMES) expect(guide).toContain(`init --agent ${agent}`)
})

test('the reference lists each finding of doctor about agents, and the default paths', () => {
  const reference = pageOf('docs/reference/coding-agents.md')
  const listed = [...reference.matchAll(/^- `(agent_\w+)`: /gm)].map(([, code]) => code)
  const found = [...pageOf('src/cli/doctor/agent.ts').matchAll(/'(agent_\w+)'/g)]
  expect(found.length).toBeGreaterThan(5)
  expect(listed.sort()).toEqual(found.map(([, code]) => code).sort())
  expect(reference).toContain(`\`${DEFAULT_PATHS}\``)
})
