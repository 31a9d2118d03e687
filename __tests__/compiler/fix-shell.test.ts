import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from '@jest/globals'
import { parse } from 'yaml'
import { fixUntrusted } from '../../src/compiler/untrusted/fix.ts'
import { IS_FULL } from '../support/effort.ts'
import { sourceFile, withStep } from './support/compiled.ts'
import { parserErrors } from './support/github.ts'
import { FIXABLE, HOSTILE } from './support/hostile.ts'
import { fill, flagged, step } from './support/untrusted.ts'

const folder = mkdtempSync(join(tmpdir(), 'hookline-shell-'))
afterAll(() => rmSync(folder, { recursive: true }))

const IN_FOLDER = { cwd: folder, encoding: 'utf8', timeout: 60_000, input: '' } as const

describe.each(['bash', 'sh'])('R44: a script that --fix mended, run by %s,', (shell) => {
  test.each(FIXABLE)('does on plain text what it did: %j', (script) => {
    for (const text of ['hello', 'v1.2.3_b-4']) {
      const before = runStep(shell, script, text)
      const after = runStep(shell, fixed(script, shell), text)
      expect(after).toEqual(before)
    }
  })

  test.each(FIXABLE)('runs nothing that a sender wrote: %j', (script) => {
    expect(executedBy(shell, fixed(script, shell))).toEqual([])
  })
})

test('R44: the hostile texts are: every script runs many of them before the fix', () => {
  const counts = FIXABLE.map((script) => executedBy('bash', script).length)
  expect(Math.min(...counts)).toBeGreaterThanOrEqual(3)
})

test('a fixed file is a workflow', async () => {
  for (const script of FIXABLE) {
    const { text } = fixUntrusted(sourceFile(withStep(step(script))))
    expect(
      await parserErrors(
        'a.yml',
        text.replaceAll('on.webhook', 'github.event').replace('on: webhook', 'on: push'),
      ),
    ).toEqual([])
    expect(fixUntrusted(sourceFile(text))).toEqual({ text, count: 0 })
  }
})

/** The step as YAML after the fix, of which nothing may be left to find. */
function fixed(script: string, shell: string): string {
  const { text } = fixUntrusted(sourceFile(withStep(`${step(script)}\n        shell: ${shell}`)))
  expect(flagged(text)).toEqual([])
  return text
}

/** The step of a workflow as a shell gets it, for each text: GitHub fills in first. */
function filledIn(scriptOrWorkflow: string, texts: readonly string[]) {
  const isWorkflow = scriptOrWorkflow.startsWith('on: ')
  const workflow = isWorkflow ? scriptOrWorkflow : withStep(step(scriptOrWorkflow))
  const { run, env = {} } = parse(workflow).jobs.a.steps[0]
  return texts.map((x) => {
    const variables = Object.entries<string>(env).map(
      ([name, value]) => [name, fill(value, { x })] as const,
    )
    return { script: fill(run, { x }), variables: Object.fromEntries(variables) }
  })
}

function runStep(shell: string, scriptOrWorkflow: string, x: string) {
  const [{ script, variables } = { script: '', variables: {} }] = filledIn(scriptOrWorkflow, [x])
  const env = { PATH: process.env.PATH, ...variables }
  const { stdout, status } = spawnSync(shell, ['-c', script], { ...IN_FOLDER, env })
  return { stdout, status }
}

/** The hostile texts of which something was executed. One shell runs the steps one after another. */
function executedBy(shell: string, scriptOrWorkflow: string): string[] {
  const runs = filledIn(scriptOrWorkflow, HOSTILE).map(({ script, variables }, at) => {
    const exports = Object.entries(variables).map(
      ([name, value]) => `export ${name}=${quoted(value)}`,
    )
    writeFileSync(join(folder, `${at}.script`), script)
    // A shell of its own for each, as a runner starts it, takes most of the time.
    const run = IS_FULL ? `exec ${shell} ${at}.script` : `. ./${at}.script`
    const step = [...exports, run].join('\n')
    return `(${step}) </dev/null >/dev/null 2>&1\nif [ -e pwned ]; then echo ${at}; rm -rf pwned; fi`
  })
  writeFileSync(join(folder, 'all.sh'), runs.join('\n'))
  const { stdout, status } = spawnSync(shell, ['all.sh'], IN_FOLDER)
  expect(status).toBe(0)
  return stdout.split('\n').flatMap((at) => (at === '' ? [] : (HOSTILE[Number(at)] ?? '?')))
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
