import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from '@jest/globals'
import { parse } from 'yaml'
import { AGENT_NAMES, agentKind } from '../../../src/cli/init/agent.ts'
import { senderNamed } from '../../../src/triggers/senders.ts'
import { Repository } from '../../compiler/support/repository.ts'
import { runShared } from '../../support/cli.ts'
import { checkByLevel } from '../../support/findings.ts'

const PLACE = { repository: 'octo/repo', relay: 'https://relay.example.com' }

function textOf(agent: string, sender?: string, event?: 'workflow_dispatch'): string {
  const answers = { ...PLACE, kind: 'agent', name: 'agent', event }
  const from = sender === undefined ? undefined : senderNamed(sender)
  return agentKind(agent)?.files({ ...answers, sender: from })[0]?.text ?? ''
}

const SENDERS = [undefined, 'linear', 'sentry', 'slack', 'typeform'] as const

test.each(AGENT_NAMES)(
  'check --strict has nothing to say of %s, prompt rule included',
  async (agent) => {
    for (const event of [undefined, 'workflow_dispatch'] as const) {
      for (const sender of SENDERS) {
        const repository = new Repository()
        try {
          repository.write('.github/workflows/agent.yml', textOf(agent, sender, event))
          const options = { root: repository.root, globs: [], strict: true }
          const { errors, warnings } = await checkByLevel(options)
          expect([...errors, ...warnings].map(({ message }) => message)).toEqual([])
        } finally {
          repository.remove()
        }
      }
    }
  },
)

test.each(AGENT_NAMES)(
  '%s has no secret but its own, no right to write, and no words of a stranger',
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
    expect(work.steps[0].with).toEqual({ 'persist-credentials': false })
    // Where the pull request is made, no agent ran, and nothing but its patch came over.
    expect(propose.steps.map(({ uses = 'run' }) => uses.replace(/@.*/, ''))).toEqual([
      'actions/checkout',
      'actions/download-artifact',
      'run',
    ])
  },
)

test('a patch that changes a workflow leaves it as it was', () => {
  const folder = mkdtempSync(join(tmpdir(), 'hookline-agent-'))
  try {
    const { jobs } = parse(textOf('claude'))
    const script = (jobs.propose.steps.at(-1).run as string).replace(/^git push.*|^gh pr.*/gm, ':')
    const sh = (text: string) =>
      spawnSync('sh', ['-ec', text], {
        cwd: folder,
        encoding: 'utf8',
        env: { PATH: process.env.PATH, HOME: folder, RUNNER_TEMP: folder, GITHUB_RUN_ID: '7' },
      })
    const author = 'git -c user.name=a -c user.email=a@example.com'
    sh(`git init -q -b main . && mkdir -p .github/workflows && echo safe > .github/workflows/x.yml && echo a > a.txt
      echo change.patch >> .git/info/exclude && git add -A && ${author} commit -qm all
      echo evil > .github/workflows/x.yml && echo b > a.txt && git add -A && git diff --cached --binary > change.patch && git reset -q --hard`)
    const { status, stderr } = sh(script)
    expect({ status, stderr: stderr.replace(/Switched.*\n/, '') }).toEqual({
      status: 0,
      stderr: '',
    })
    expect(readFileSync(join(folder, 'a.txt'), 'utf8')).toBe('b\n')
    expect(readFileSync(join(folder, '.github/workflows/x.yml'), 'utf8')).toBe('safe\n')
    expect(sh('git log --format=%s -1').stdout).toBe('Change what run 7 was told of\n')
    writeFileSync(join(folder, 'change.patch'), '')
    expect(sh(script).status).toBe(0)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

test('init --agent writes it, and says which secret is to be set', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'hookline-agent-'))
  try {
    const args = [
      'init',
      '--agent',
      'codex',
      '--sender',
      'linear',
      '--repository',
      'octo/repo',
      '--yes',
    ]
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

test('the page shows the file that init writes', () => {
  const page = readFileSync(
    fileURLToPath(new URL('../../../docs/agents.md', import.meta.url)),
    'utf8',
  )
  for (const agent of AGENT_NAMES) expect(page).toContain(`init --agent ${agent}`)
})
