import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { findingJson } from '../../src/check/reports.ts'
import { workflow } from '../../src/check/rules/example-workflows.ts'
import { checkWorkflows } from '../../src/cli/check.ts'
import { devFindings, devWorkflowSource } from '../../src/cli/workflows-here.ts'
import type { Finding } from '../../src/wire/errors.ts'
import { GLOBS, HOOK, Repository, UNTRUSTED } from '../compiler/support/repository.ts'

let repository: Repository
beforeEach(() => {
  repository = new Repository()
})
afterEach(() => repository.remove())

/** Rule, location and message of each finding, without its severity. */
function findings(findings: readonly Finding[]): string[] {
  return findings
    .map(({ code, position, message, hint = '' }) =>
      [code, position?.source.file, position?.line, position?.column, message, hint].join(' '),
    )
    .sort()
}

async function byCheck(strict = true) {
  const { root } = repository
  return (await checkWorkflows({ root, globs: [], strict })).findings
}

async function byDev() {
  const { root } = repository
  const contexts = { secrets: {}, vars: {}, env: {}, github: {} }
  return devFindings({ root, globs: GLOBS }, () =>
    devWorkflowSource({ root, globs: GLOBS, contexts }),
  )
}

const job = (step: string) =>
  `on: webhook\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n      - ${step}\n`

/** Sources, and the rules with findings in them. */
const SOURCES: readonly (readonly [name: string, text: string, ids: readonly string[]])[] = [
  ['nothing', HOOK, []],
  ['a wrong value', HOOK.replace('webhook', '{webhook: {method: psot}}'), ['option-value']],
  ['no YAML', 'on: webhook\njobs: [\n', ['yaml-syntax']],
  ['no trigger', HOOK.replace('webhook', 'push'), ['no-trigger']],
  ['untrusted text', UNTRUSTED, ['script-injection']],
  ['a value that is none', job("if: on.webhook.outcome == 'ok'\n        run: x"), ['never-true']],
  [
    'an output that is not there',
    job('run: echo ${{ on.webhook.outputs.bdoy }}'),
    ['unknown-output'],
  ],
  ['an object as text', job('run: echo ${{ on.webhook.outputs.headers }}'), ['object-as-string']],
  ['a key of GitHub', job('rum: echo'), ['refused-by-github', 'unexpected-value']],
  [
    'a condition',
    `${job("if: ${{ on.webhook.outputs.body }} == 'a'")}        run: x\n`,
    ['always-true'],
  ],
  [
    'a prefix',
    HOOK.replace('webhook', '{webhook: {path: /hook/webhook/a}}'),
    ['repeated-path-prefix'],
  ],
  [
    'a list',
    HOOK.replace('webhook', '{messaging_bot: {webhook: true, users: 1}}'),
    ['unverified-allowlist'],
  ],
  ['an idle comment', `${HOOK}# hookline: ignore[always-true]\n`, ['unused-ignore']],
  ['an ignored finding', `${UNTRUSTED.trimEnd()} # hookline: ignore[script-injection] mine\n`, []],
  ['a missing checkout', job('uses: ./gone'), ['missing-checkout']],
  [
    'several',
    `${UNTRUSTED}      - run: x\n        if: on.webhook.outcome == 'a' || 'x'\n`,
    ['always-true', 'never-true', 'script-injection'],
  ],
]

describe('of a source with', () => {
  test.each(SOURCES)('%s, check, build and dev find the same', async (_, text, ids) => {
    repository.write('workflows/hook.yml', text)
    const built = await repository.build()
    const build = [...built.errors, ...built.warnings]
    const check = await byCheck(false)
    expect([...new Set(check.map(({ code }) => code))].sort()).toEqual(ids)
    expect(findings(build)).toEqual(findings(check))
    expect(findings(await byDev())).toEqual(findings(check))
    expect(build.map(findingJson)).toEqual(check.map(findingJson))
  })
})

/** Workflows in `.github/workflows/`, and the rules with findings in them. */
const NATIVES: readonly (readonly [name: string, text: string, ids: readonly string[]])[] = [
  ['nothing', workflow(''), []],
  ['a wrong value', workflow('', 'webhook: {method: psot}'), ['option-value']],
  [
    'a guard that misses',
    workflow('  a: {if: "github.event.client_payload.path == \'hook\'", runs-on: x}\n').replace(
      '    runs-on: ubuntu',
      "    if: github.event.client_payload.path == 'hook'\n    runs-on: ubuntu",
    ),
    ['unreachable-webhook'],
  ],
  ['an output', workflow('').replace('outputs.body', 'outputs.bdoy'), ['unknown-output']],
  ['an input', workflow('').replace('on: |', 'onn: |'), ['action-input']],
  ['a prefix', workflow('', 'webhook: {path: hook/webhook}'), ['repeated-path-prefix']],
  ['no YAML', `${workflow('')}jobs: [\n`, ['yaml-syntax']],
]

describe('of a native workflow with', () => {
  test.each(NATIVES)('%s, check and dev find the same', async (_, text, ids) => {
    repository.write('.github/workflows/hook.yml', text)
    const check = await byCheck()
    expect([...new Set(check.map(({ code }) => code))].sort()).toEqual(ids)
    expect(findings(await byDev())).toEqual(findings(check))
  })
})
