import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { parse } from 'yaml'
import { sourceFile, withStep } from '../compiler/support/compiled.ts'
import { parserErrors } from '../compiler/support/github.ts'
import { FIXABLE, HOSTILE } from '../compiler/support/hostile.ts'
import { exporting, quoted } from '../compiler/support/steps.ts'
import { fill, fixUntrusted, flagged, step } from './support/untrusted.ts'

const folder = mkdtempSync(join(tmpdir(), 'hookline-shell-'))
afterAll(() => rmSync(folder, { recursive: true }))

/**
 * The number of hostile strings that a script must execute before the fix; the others are not
 * tried.
 */
const MANY = 3

const PLAIN = ['hello', 'v1.2.3_b-4']

describe.each(['bash', 'sh'])('a script that --fix changed, run by %s,', (shell) => {
  const mended = FIXABLE.map((script) => fixed(script, shell))
  const rows = FIXABLE.map((script, number) => [script, number] as const)
  let results: { before: string[][]; after: string[][] }
  let executed: string[][]
  beforeAll(() => {
    results = { before: resultsOf(shell, FIXABLE), after: resultsOf(shell, mended) }
    // bash executes everything that sh does, and more.
    executed = executedBy(shell, mended, { every: shell === 'bash' ? 2 : 4 })
  })

  test.each(rows)('does on plain text what it did: %j', (_, number) => {
    expect(results.after[number]).toHaveLength(PLAIN.length)
    expect(results.after[number]).toEqual(results.before[number])
  })

  test.each(rows)('runs nothing that a sender wrote: %j', (_, number) => {
    expect(flagged(mended[number] ?? '')).toEqual([])
    expect(executed[number]).toEqual([])
  })
})

test('the hostile texts are: every script runs many of them before the fix', () => {
  const counts = executedBy('bash', FIXABLE, { every: 1, most: MANY }).map((texts) => texts.length)
  expect(counts).toEqual(FIXABLE.map(() => MANY))
})

test.each([
  ['that no shell can read', "echo 'a ${{ on.webhook.outputs.body.title }}"],
  ['that gives its quotes another meaning', 'eval "echo ${{ on.webhook.outputs.body.title }}"'],
])('a script %s stays as it is', (_, script) => {
  const file = sourceFile(withStep(step(script)))
  expect(fixUntrusted(file)).toEqual({ text: file.source.text, count: 0 })
})

// To record an intended change, run: npm run jest -- fix-shell -u
test('each fixed script is the recorded one', () => {
  const scripts = FIXABLE.map(
    (script) => `${script}\n=>\n${fixed(script, 'bash').split('steps:\n')[1]}`,
  )
  expect(scripts.join('\n')).toMatchSnapshot()
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

/** A workflow with the script as a step, after the fix. */
function fixed(script: string, shell: string): string {
  return fixUntrusted(sourceFile(withStep(`${step(script)}\n        shell: ${shell}`))).text
}

/** The output of each script for each harmless string, and its exit code. */
function resultsOf(shell: string, scripts: readonly string[]): string[][] {
  const runs = scripts.flatMap((script) =>
    filledIn(script, PLAIN).map(
      (run) =>
        `(${run.exports}exec ${shell} -c ${run.script}) </dev/null 2>/dev/null\nprintf '%s<end>' $?`,
    ),
  )
  const results = inOneShell(shell, runs).split('<end>')
  return scripts.map((_, number) =>
    results.slice(number * PLAIN.length, (number + 1) * PLAIN.length),
  )
}

interface Tried {
  /** Each script gets one of this many strings, and each script gets other ones. */
  readonly every: number
  /** After it executed this many, a script gets no more. */
  readonly most?: number
}

/** The hostile strings of which each script executed a part. */
function executedBy(
  shell: string,
  scripts: readonly string[],
  { every, most = HOSTILE.length }: Tried,
): string[][] {
  const textsOf = (script: number) => HOSTILE.filter((_, at) => (at + script) % every === 0)
  // One shell runs every script, because starting a shell for each would take most of the time.
  const command = 'touch() { : > "$1"; }\neval'
  const own = mkdtempSync(join(folder, 'executed-'))
  const runs = scripts.flatMap((script, number) =>
    filledIn(script, textsOf(number)).map((run, text) => {
      mkdirSync(join(own, `${number}.${text}`))
      return `${text === 0 ? `left=${most}` : ''}
if [ $left -gt 0 ]; then
cd ${own}/${number}.${text}
(${run.exports}${command} ${run.script}) </dev/null >/dev/null 2>&1
if [ -e pwned ]; then echo ${number} ${text}; left=$((left - 1)); fi
fi`
    }),
  )
  const found = [...inOneShell(shell, runs).matchAll(/^(\d+) (\d+)$/gm)]
  return scripts.map((_, number) =>
    found.flatMap(([, script, text]) =>
      Number(script) === number ? [textsOf(number)[Number(text)] ?? '?'] : [],
    ),
  )
}

/** The step as the shell gets it for each string, because GitHub evaluates expressions first. */
function filledIn(scriptOrWorkflow: string, texts: readonly string[]) {
  const isWorkflow = scriptOrWorkflow.startsWith('on: ')
  const workflow = isWorkflow ? scriptOrWorkflow : withStep(step(scriptOrWorkflow))
  const { run, env = {} } = parse(workflow).jobs.a.steps[0]
  return texts.map((x) => {
    const variables = Object.entries<string>(env).map(
      ([name, value]) => [name, fill(value, { x })] as const,
    )
    return { script: quoted(fill(run, { x })), exports: exporting(Object.fromEntries(variables)) }
  })
}

/**
 * The output of commands that one shell runs one after another, because starting a shell takes
 * longer than most of them.
 */
function inOneShell(shell: string, commands: readonly string[]): string {
  writeFileSync(join(folder, 'all.sh'), commands.join('\n'))
  const { stdout, status } = spawnSync(shell, ['all.sh'], {
    cwd: folder,
    encoding: 'utf8',
    timeout: 120_000,
    input: '',
    maxBuffer: 10_000_000,
    env: { PATH: process.env.PATH },
  })
  expect(status).toBe(0)
  return stdout
}
