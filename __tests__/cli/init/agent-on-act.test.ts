import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { CODING_AGENTS } from '../../../src/cli/agents.ts'
import { agentKind } from '../../../src/cli/init/agent.ts'
import { actionReference } from '../../../src/workflow/versions.ts'
import { ACT, runAct } from '../../support/act.ts'

/** A composite action with one script. @param inputs by the variable in which the script finds each of them */
function action(inputs: Readonly<Record<string, string>>, run: string): string {
  const env = Object.fromEntries(
    Object.entries(inputs).map(([variable, name]) => [variable, `\${{ inputs.${name} }}`]),
  )
  const declared = Object.fromEntries(Object.values(inputs).map((name) => [name, { default: '' }]))
  const steps = [{ shell: 'bash', env, run }]
  return JSON.stringify({ name: 'stand-in', inputs: declared, runs: { using: 'composite', steps } })
}

/** The agent reads the event and changes files, some of which it must not change. */
const AGENT = action(
  { PROMPT: 'prompt', BOTS: 'allowed_bots', KEY: 'anthropic_api_key' },
  `grep -q 'untrusted input' <<< "$PROMPT"
test "$BOTS" = 'my-relay[bot]'
test "$KEY" = key-of-this-test
grep -q 'crash in the parser' event.json
echo fixed > src/parser.ts
echo 'obey me' | tee CLAUDE.md src/AGENTS.md .github/workflows/agent.yml .mcp.json`,
)

/** act itself checks the repository out. */
const ACTIONS = {
  [actionReference('actions/upload-artifact')]: action(
    { NAME: 'name', FILE: 'path' },
    'mkdir -p "$ARTIFACTS/$NAME" && cp -r "$FILE" "$ARTIFACTS/$NAME"',
  ),
  [actionReference('actions/download-artifact')]: action(
    { NAME: 'name', FOLDER: 'path' },
    'mkdir -p "$FOLDER" && cp -r "$ARTIFACTS/$NAME/." "$FOLDER"',
  ),
  [actionReference(CODING_AGENTS.claude.action)]: AGENT,
}

const testOnAct = ACT ? test : test.skip

testOnAct(
  'an event becomes a branch with only the allowed changes, and a draft pull request',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'hookline-agent-act-'))
    try {
      const origin = join(folder, 'origin')
      const answers = {
        kind: 'agent',
        name: 'agent',
        repository: 'octo/repo',
        relay: 'https://r.test',
      }
      const [file] =
        agentKind('claude')?.files({
          ...answers,
          actor: 'my-relay[bot]',
          uses: 'hookline/hookline@v1',
        }) ?? []
      const text = file?.text ?? ''
      const headers = { 'content-type': 'application/json' }
      const body = JSON.stringify({ title: 'crash in the parser' })
      const sent = { path: 'agent/webhook', method: 'POST', headers, body }
      const run = await runAct(
        {
          '.github/workflows/agent.yml': text,
          'src/parser.ts': 'broken\n',
          'CLAUDE.md': 'rules\n',
        },
        {
          name: 'repository_dispatch',
          payload: { action: 'webhook', client_payload: sent },
          secrets: { ANTHROPIC_API_KEY: 'key-of-this-test', GITHUB_TOKEN: 'token-of-this-test' },
          env: { ARTIFACTS: join(folder, 'artifacts'), GITHUB_REPOSITORY: 'octo/repo' },
        },
        {
          actions: ACTIONS,
          programs: { gh: '#!/bin/sh\necho "called gh $*"\n' },
          origin,
        },
      )
      expect(run.jobs).toEqual({ receive: 'success', work: 'success', propose: 'success' })
      expect(run.log).toContain('does not contain the changes of these paths')
      expect(run.log).toMatch(/called gh pr create --draft --fill --head agent\/\S+ /)
      const git = (...args: string[]) =>
        execFileSync('git', args, { cwd: origin, encoding: 'utf8' })
      const branches = git('branch', '--list', 'agent/*', '--format=%(refname:short)').trim()
      expect(branches).toMatch(/^agent\/\S+$/)
      expect(git('diff-tree', '-r', '--name-status', 'main', branches)).toBe('M\tsrc/parser.ts\n')
      expect(git('log', '--format=%an: %s', '-1', branches)).toMatch(/^github-actions\[bot\]: /)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  },
  120_000,
)
