import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from '@jest/globals'
import { parse } from 'yaml'
import { AGENT_NAMES, agentKind } from '../../../src/cli/init/agent.ts'
import { senderNamed } from '../../../src/triggers/senders.ts'
import { Repository } from '../../compiler/support/repository.ts'
import { dispatchEvent, runInShared } from '../../support/action.ts'
import { runShared } from '../../support/cli.ts'
import { checkByLevel } from '../../support/findings.ts'

const PLACE = { repository: 'octo/repo', relay: 'https://relay.example.com' }

function textOf(agent: string, sender?: string, dispatch?: 'workflow'): string {
  const answers = { ...PLACE, kind: 'agent', name: 'agent', dispatch }
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

const GIT = 'git -c user.name=a -c user.email=a@example.com -c protocol.file.allow=always'

/** Files of an agent that would run with the next git command or shell. */
const TRAPS = `
  trap="$RUNNER_TEMP/trap"
  printf '#!/bin/sh\\ntouch "%s.%s"\\ncat 2>/dev/null\\n' "$trap" ran > "$trap" && chmod +x "$trap"
  for name in git tar bash; do cp "$trap" "$name"; done
  for config in .git/config "$HOME/.gitconfig" sub/.git/config; do
    mkdir -p "$(dirname "$config")" .hooks
    printf '[core]\\n\\tfsmonitor = %s\\n\\thooksPath = %s\\n[filter "x"]\\n\\tclean = %s\\n\\tprocess = %s\\n[diff]\\n\\texternal = %s\\n[alias]\\n\\tapply = !%s\\n' \\
      "$trap" "$PWD/.hooks" "$trap" "$trap" "$trap" "$trap" >> "$config"
  done
  for hook in pre-commit post-index-change pre-push; do cp "$trap" ".hooks/$hook"; cp "$trap" ".git/hooks/$hook"; done
  mkdir -p sub/.git/objects sub/.git/refs && echo 'ref: refs/heads/main' > sub/.git/HEAD && echo x > sub/x
  printf '* filter=x diff=x\\n' > .gitattributes
  printf 'touch "%s.ran"\\n' "$trap" > "$RUNNER_TEMP/env"`

/** A change of an agent, and its form in the pull request: paths and modes, as git prints them. */
const CHANGES: readonly (readonly [name: string, change: string, shown: string])[] = [
  [
    'files, a link, and what runs',
    'echo b > a.txt; ln -s /etc/passwd l; chmod +x a.txt; rm b.txt',
    'M a.txt|D b.txt|A l',
  ],
  [
    'what people decide alone',
    `echo evil > .github/workflows/y.yml; mkdir .claude .gemini; echo {} > .claude/settings.json
    echo {} > .gemini/settings.json; echo {} > event.json`,
    '',
  ],
  ['the place of a workflow', 'git mv .github/workflows/x.yml x.yml', 'A x.yml'],
  [
    'the settings of git and of the shell',
    TRAPS,
    'A .gitattributes|A .hooks/post-index-change|A .hooks/pre-commit|A .hooks/pre-push|A bash|A git|A sub/x|A tar',
  ],
]

test.each(CHANGES)(
  'an agent that changes %s runs nothing, and moves no workflow',
  (_, change, shown) => {
    const folder = mkdtempSync(join(tmpdir(), 'hookline-agent-'))
    try {
      const { jobs } = parse(textOf('claude'))
      const way = jobs.work.steps.at(-2)
      const propose = jobs.propose.steps.at(-1).run.replace(/^git push.*|^gh pr.*/gm, ':')
      const run = (text: string, cwd: string, shell = 'bash -e {0}', more = {}) => {
        const script = join(folder, 'script.sh')
        writeFileSync(script, text.replaceAll('${{ runner.temp }}', folder))
        const env = {
          PATH: process.env.PATH,
          HOME: join(folder, 'home'),
          RUNNER_TEMP: folder,
          GITHUB_RUN_ID: '7',
        }
        const done = spawnSync('/bin/sh', ['-c', shell.replace('{0}', script)], {
          cwd,
          encoding: 'utf8',
          env: { ...env, ...more },
        })
        expect({ status: done.status, stderr: done.stderr.replace(/Switched.*\n/, '') }).toEqual({
          status: 0,
          stderr: '',
        })
        return done.stdout
      }
      const [work, fresh] = [join(folder, 'work'), join(folder, 'fresh')]
      run(
        `mkdir home work && cd work && git init -q -b main . && mkdir -p .github/workflows && echo safe > .github/workflows/x.yml
      echo a > a.txt && echo b > b.txt && git add -A && ${GIT} commit -qm all && git clone -q . ../fresh`,
        folder,
      )
      run(change, work)
      const isTrapped = change === TRAPS
      run(
        way.run,
        work,
        way.shell,
        isTrapped ? { BASH_ENV: join(folder, 'env'), PATH: `${work}:${process.env.PATH}` } : {},
      )
      // The next job has another machine, which only gets the artifact.
      rmSync(join(folder, 'home'), { recursive: true })
      run(propose, fresh)
      expect(existsSync(join(folder, 'trap.ran'))).toBe(false)
      const told = run(
        'git log --format=%s -1; git show --no-renames --name-status --format= HEAD',
        fresh,
      )
      const [subject, ...lines] = told.trim().split('\n')
      const isChanged = shown !== ''
      expect(subject).toBe(isChanged ? 'Change the code for run 7' : 'all')
      if (isChanged) expect(lines.map((line) => line.replace('\t', ' ')).join('|')).toBe(shown)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  },
)

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

test('the page shows the file that init writes', () => {
  const page = readFileSync(
    fileURLToPath(new URL('../../../docs/guides/coding-agents.md', import.meta.url)),
    'utf8',
  )
  for (const agent of AGENT_NAMES) expect(page).toContain(`init --agent ${agent}`)
})
