import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from '@jest/globals'
import { parse } from 'yaml'
import { findUntrusted } from '../../src/compiler/untrusted/findings.ts'
import { fixUntrusted } from '../../src/compiler/untrusted/fix.ts'
import { sourceFile, withStep } from './support/compiled.ts'
import { fillIn } from './support/evaluate.ts'
import { parserErrors } from './support/github.ts'

const X = '${{ on.webhook.outputs.body.x }}'

const folder = mkdtempSync(join(tmpdir(), 'hookline-shell-'))
afterAll(() => rmSync(folder, { recursive: true }))

const IN_FOLDER = { cwd: folder, encoding: 'utf8', timeout: 60_000, input: '' } as const

describe('flags what a sender could word', () => {
  test.each([
    'on.webhook.outputs.body',
    "on['webhook']['outputs'].body",
    'ON.webhook.OUTPUTS.querystring',
    'on',
    'on.webhook',
    'on.*.outputs',
    'toJSON(on.webhook)',
    "format('{0}', on.webhook.outputs.params.id)",
    "github.actor == 'x' && on.webhook.outputs.body.a || 'no'",
    'fromJSON(toJSON(on.webhook.outputs.body)).a',
    'github.event.client_payload.body',
    "github['event']['client_payload'].path",
    'toJSON(github.event)',
    'toJSON(github)',
    'github.event[inputs.a]',
    'inputs.on',
    '(on.webhook.outputs.body)',
    "join(on.webhook.outputs.body.tags, ' ')",
    "case(true, on.webhook.outputs.body, 'b')",
  ])('%s', (expression) => {
    expect(flagged(withStep(`      - run: echo "\${{ ${expression} }}"`))).toEqual(['run'])
  })

  test.each([
    'github.actor',
    'github.event.action',
    'on.webhook.outcome',
    "on.webhook.outputs.body == 'a'",
    '!on.webhook.outputs.body',
    'contains(on.webhook.outputs.body, github.actor)',
    'inputs.name',
    'env.HOME',
    "'on.webhook.outputs.body'",
    "hashFiles('a')",
  ])('but not %s', (expression) => {
    expect(flagged(withStep(`      - run: echo "\${{ ${expression} }}"`))).toEqual([])
  })

  test.each([
    ['a script of an action', `      - uses: a/b@v1\n        with: {script: "${X}"}`, ['script']],
    ['a shell', `      - run: x\n        shell: "${X}"`, ['shell']],
    ['a folder', `      - run: x\n        working-directory: "${X}"`, ['working-directory']],
    ['two in one script', `      - run: echo ${X} ${X}`, ['run', 'run']],
    [
      'a variable of the step',
      `      - run: echo \${{ env.A }}\n        env: {A: "${X}"}`,
      ['run'],
    ],
    ['no input of another name', `      - uses: a/b@v1\n        with: {text: "${X}"}`, []],
    ['no variable as such', `      - run: echo "$A"\n        env: {A: "${X}"}`, []],
    ['no name', `      - run: x\n        name: "${X}"`, []],
  ])('%s', (_, step, expected) => {
    expect(flagged(withStep(step))).toEqual(expected)
  })

  test('what goes by way of env, outputs and matrix, and defaults', () => {
    const text = `on: webhook
env: {A: "${X}", B: safe}
defaults: {run: {working-directory: "${X}"}}
jobs:
  a:
    runs-on: x
    env: {B: "\${{ env.A }}"}
    outputs: {o: "${X}", p: safe}
    steps: [{run: "echo \${{ env.A }}"}, {run: "echo \${{ env.B }}"}]
  b:
    needs: a
    runs-on: x
    env: {A: safe}
    outputs: {q: "\${{ needs.a.outputs.o }}"}
    strategy: {matrix: {m: "\${{ fromJSON(needs.a.outputs.o) }}"}}
    steps: [{run: "\${{ matrix.m }}"}, {run: "\${{ env.A }} \${{ env.B }} \${{ needs.a.outputs.p }}"}]
  c:
    needs: b
    runs-on: x
    defaults: {run: {shell: "\${{ needs.b.outputs.q }}"}}
    steps: [{run: "\${{ matrix.m }}"}, {run: "\${{ toJSON(needs) }}"}]
`
    const places = findUntrusted(sourceFile(text)).map(({ problem }) => problem.position?.line)
    expect(places).toEqual([3, 9, 9, 16, 20, 21])
  })

  test('with line and column', () => {
    const [finding] = findUntrusted(
      sourceFile(withStep(`      - run: |\n          echo\n          echo ${X}`)),
    )
    expect(finding?.problem.position).toMatchObject({ line: 8, column: 20, length: 25 })
  })
})

/** Each would leave the file behind if any part of it were run. */
const HOSTILE = [
  '$(touch pwned)',
  '`touch pwned`',
  '"; touch pwned; "',
  "'; touch pwned; '",
  '\n touch pwned\n',
  '; touch pwned #',
  '&& touch pwned',
  '| touch pwned',
  '|| touch pwned',
  '& touch pwned &',
  '"$(touch pwned)"',
  "'$(touch pwned)'",
  '\'"$(touch pwned)"\'',
  '${IFS}$(touch${IFS}pwned)',
  '\\"; touch pwned; \\"',
  "\\'; touch pwned; \\'",
  '\\$(touch pwned)',
  'a[$(touch pwned)]',
  '$((a[$(touch pwned)]))',
  '<(touch pwned)',
  '>(touch pwned)',
  '> pwned',
  '\nEOF\ntouch pwned\ncat <<EOF\n',
  '*) touch pwned;; esac; case x in x',
  '"\n`touch pwned`\n"',
  '\r\ntouch pwned\r\n',
  '%s$(touch pwned)',
  '!touch pwned',
  '~ && touch pwned',
  '{touch,pwned}',
  '-e \\x24(touch pwned)',
  '"$(\ntouch pwned\n)"',
]

/** Scripts that the fix is sure of. */
const FIXABLE = [
  `echo ${X}`,
  `echo "a ${X} b"`,
  `echo 'a ${X} b'`,
  `echo a${X}b "$(echo ${X})" "$(echo "${X}")"`,
  `printf '%s\\n' ${X} "${X}" '${X}'`,
  `A=${X}\nB="${X}"\nC='${X}'\necho "$A" "$B" "$C"`,
  `export A=${X}\necho "$A"`,
  `cat <<EOF\na ${X} b\nEOF`,
  `cat <<-EOF\n\ta ${X} b\n\tEOF`,
  `# about ${X}\necho done`,
  `if [ "${X}" = hello ]; then echo same; else echo other; fi`,
  `case "${X}" in hello) echo same;; *) echo other;; esac`,
  `echo ${X} | cat | tr a-z A-Z`,
  `f() { echo "$1"; }\nf ${X}`,
  `(cd . && echo ${X}) && { echo "${X}"; }`,
  `echo one; echo "it's ${X}" # ${X}`,
  `cat <<EOF\n"${X}" and '${X}'\nEOF`,
]

describe.each(['bash', 'sh'])('a script that --fix mended, run by %s,', (shell) => {
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

test('the hostile texts are: every script runs many of them before the fix', () => {
  const counts = FIXABLE.map((script) => executedBy('bash', script).length)
  expect(Math.min(...counts)).toBeGreaterThanOrEqual(3)
})

describe('leaves to a person, still flagged,', () => {
  test.each([
    ['the name of a command', X],
    ['a part of it', `./bin-${X} --flag`],
    ['what is evaluated again', `eval "echo ${X}"`],
    ['another shell', `bash -c 'echo ${X}'`],
    ['another shell by a pipe', `echo ${X} | sh`],
    ['another shell by its path', `echo 1 | /usr/bin/env bash -s ${X}`],
    ['a program of another language', `python3 -c 'print("${X}")'`],
    ['a variable that reaches one', `A=${X}\npython3 -c "print('$A')"`],
    ['a file that reaches one', `echo ${X} > a.py\npython3 a.py`],
    ['arithmetic', `echo $((${X} + 1))`],
    ['arithmetic on a variable', `A=${X}\n(( A > 1 )) && echo more`],
    ['a test that calculates', `[[ ${X} -gt 1 ]] && echo more`],
    ['a command in a variable', `A=${X}\n$A`],
    ['a list', `for a in ${X}; do echo $a; done`],
    ['a pattern', `case a in ${X}) echo yes;; esac`],
    ['a quoted here-document', `cat <<'EOF'\n${X}\nEOF`],
    ['backquotes', `echo \`cat ${X}\``],
    ['a parameter expansion', `echo "\${A:-${X}}"`],
    ['an escape', `echo \\${X}`],
    ['an ANSI-C string', `echo $'${X}'`],
    ['the environment of later steps', `echo "A=${X}" >> "$GITHUB_ENV"`],
    ['the name of a variable', `export ${X}`],
    ['a script that does not parse', `echo "${X}`],
    ['a variable that governs', `PATH=${X} ls`],
  ])('%s', (_, script) => {
    const text = withStep(step(script))
    const { count } = fixUntrusted(sourceFile(text))
    expect(count).toBe(0)
    expect(flagged(text)).not.toEqual([])
  })

  test.each([
    ['PowerShell', 'shell: pwsh'],
    ['Python', 'shell: python'],
    ['cmd', 'shell: cmd'],
    ['a shell that only the run knows', 'shell: ${{ inputs.shell }}'],
  ])('%s', (_, shell) => {
    const text = withStep(`${step(`echo ${X}`)}\n        ${shell}`)
    expect(fixUntrusted(sourceFile(text)).text).toBe(text)
    expect(flagged(text)).toContain('run')
  })

  test.each(['windows-latest', '${{ matrix.os }}', '${{ inputs.os }}', '[self-hosted, x64]'])(
    'a job on %s without a shell',
    (runner) => {
      const text = withStep(step(`echo ${X}`))
        .replace('ubuntu-latest', runner)
        .replace(
          '    steps:',
          '    strategy: {matrix: {os: [ubuntu-latest, windows-latest]}}\n    steps:',
        )
      expect(fixUntrusted(sourceFile(text)).count).toBe(0)
    },
  )
})

describe('puts the variables', () => {
  test.each([
    [
      'into a new env',
      `- run: echo ${X}`,
      `- run: echo "\${WEBHOOK_BODY_X}"\n  env:\n    WEBHOOK_BODY_X: ${X}`,
    ],
    [
      'into the env that is there',
      `- env:\n    # why\n    A: b\n  run: echo ${X}`,
      `- env:\n    WEBHOOK_BODY_X: ${X}\n    # why\n    A: b\n  run: echo "\${WEBHOOK_BODY_X}"`,
    ],
    [
      'into an env in braces',
      `- env: {A: b}\n  run: echo ${X}`,
      `- env: { WEBHOOK_BODY_X: '${X}', A: b}\n  run: echo "\${WEBHOOK_BODY_X}"`,
    ],
    [
      'under a name that is free',
      `- env: {WEBHOOK_BODY_X: b}\n  run: echo ${X}`,
      `- env: { WEBHOOK_BODY_X_2: '${X}', WEBHOOK_BODY_X: b}\n  run: echo "\${WEBHOOK_BODY_X_2}"`,
    ],
    [
      'once for the same value',
      `- run: |\n    echo ${X}\n    echo "${X}"`,
      `- run: |\n    echo "\${WEBHOOK_BODY_X}"\n    echo "\${WEBHOOK_BODY_X}"\n  env:\n    WEBHOOK_BODY_X: ${X}`,
    ],
    [
      'in the way the script is quoted',
      `- run: 'echo "${X}"'`,
      `- run: 'echo "\${WEBHOOK_BODY_X}"'\n  env:\n    WEBHOOK_BODY_X: ${X}`,
    ],
    [
      'in double quotes too',
      `- run: "echo ${X}"`,
      `- run: "echo \\"\${WEBHOOK_BODY_X}\\""\n  env:\n    WEBHOOK_BODY_X: ${X}`,
    ],
  ])('%s', (_, before, after) => {
    const indented = (text: string) => text.replaceAll(/^/gm, '      ')
    expect(fixUntrusted(sourceFile(withStep(indented(before)))).text).toBe(
      withStep(indented(after)),
    )
  })
})

describe('a script of github-script', () => {
  const scripts: readonly (readonly [script: string, expected: unknown])[] = [
    ['return ${{ toJSON(on.webhook.outputs.body) }}', 'body'],
    ['return ${{ on.webhook.outputs.body.n }} + 1', 43],
    [`return 'a ${X} b'`, 'a TEXT b'],
    [`return "a ${X}" + ' b'.trim()`, 'a TEXTb'],
    [`return \`a ${X} \${1 + 1}\``, 'a TEXT 2'],
    [`// about ${X}\nreturn 1`, 1],
    [`return ['${X}', "${X}"].join('-')`, 'TEXT-TEXT'],
  ]

  test.each(scripts)(
    '%j runs nothing that a sender wrote, and does what it did',
    (script, expected) => {
      for (const text of [
        'plain',
        `'; globalThis.pwned = 1; '`,
        '`+(globalThis.pwned=1)+`',
        '${globalThis.pwned = 1}',
        '"+(globalThis.pwned=1)+"',
        '\nglobalThis.pwned = 1\n',
        '*/ globalThis.pwned = 1',
      ]) {
        const body = { x: text, n: 42 }
        const source = withStep(
          step(script, 'uses: actions/github-script@v7\n        with:\n          script'),
        )
        const result = fixUntrusted(sourceFile(source))
        expect(flagged(result.text)).toEqual([])
        const { with: inputs, env = {} } = parse(result.text).jobs.a.steps[0]
        const variables = Object.entries<string>(env).map(([name, value]) => [
          name,
          fill(value, body),
        ])
        const run = new Function('process', fill(inputs.script, body))
        const wanted =
          typeof expected === 'string' ? expected.replaceAll('TEXT', () => text) : expected
        const returned = run({ env: Object.fromEntries(variables) })
        expect(returned).toEqual(expected === 'body' ? body : wanted)
        expect('pwned' in globalThis).toBe(false)
      }
    },
  )

  test.each([
    `eval('${X}')`,
    `const a = {'${X}': 1}`,
    `require('${X}')`,
    `const { exec } = x; exec('ls ${X}')`,
    `return /${X}/`,
    `return ${X}()`,
    `'${X}'\nreturn 1`,
  ])('%j is left to a person', (script) => {
    const source = withStep(
      step(script, 'uses: actions/github-script@v7\n        with:\n          script'),
    )
    expect(fixUntrusted(sourceFile(source)).count).toBe(0)
  })
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

function flagged(text: string): string[] {
  return findUntrusted(sourceFile(text)).map(({ key }) => key)
}

function step(script: string, key = 'run'): string {
  const indent = key === 'run' ? '          ' : '            '
  return `      - ${key}: |\n${script.replaceAll(/^/gm, indent)}`
}

/** The step as YAML after the fix, of which nothing may be left to find. */
function fixed(script: string, shell: string): string {
  const { text } = fixUntrusted(sourceFile(withStep(`${step(script)}\n        shell: ${shell}`)))
  expect(flagged(text)).toEqual([])
  return text
}

/** The step of a workflow as a shell gets it: GitHub fills in first. */
function filledIn(scriptOrWorkflow: string, x: string) {
  const isWorkflow = scriptOrWorkflow.startsWith('on: ')
  const workflow = isWorkflow ? scriptOrWorkflow : withStep(step(scriptOrWorkflow))
  const { run, env = {} } = parse(workflow).jobs.a.steps[0]
  const variables = Object.entries<string>(env).map(
    ([name, value]) => [name, fill(value, { x })] as const,
  )
  return { script: fill(run, { x }), variables: Object.fromEntries(variables) }
}

function runStep(shell: string, scriptOrWorkflow: string, x: string) {
  const { script, variables } = filledIn(scriptOrWorkflow, x)
  const env = { PATH: process.env.PATH, ...variables }
  const { stdout, status } = spawnSync(shell, ['-c', script], { ...IN_FOLDER, env })
  return { stdout, status }
}

/** The hostile texts of which something was executed. One shell runs the steps one after another. */
function executedBy(shell: string, scriptOrWorkflow: string): string[] {
  HOSTILE.forEach((text, at) => {
    const { script, variables } = filledIn(scriptOrWorkflow, text)
    const exports = Object.entries(variables).map(
      ([name, value]) => `export ${name}=${quoted(value)}`,
    )
    writeFileSync(join(folder, `${at}.script`), script)
    writeFileSync(join(folder, `${at}.run`), [...exports, `exec ${shell} ${at}.script`].join('\n'))
  })
  const runAll = `for at in $(seq 0 ${HOSTILE.length - 1}); do
    sh $at.run </dev/null >/dev/null 2>&1
    if [ -e pwned ]; then echo $at; rm -rf pwned; fi
  done`
  const { stdout, status } = spawnSync('sh', ['-c', runAll], IN_FOLDER)
  expect(status).toBe(0)
  return stdout.split('\n').flatMap((at) => (at === '' ? [] : (HOSTILE[Number(at)] ?? '?')))
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

function fill(text: string, body: unknown): string {
  return fillIn(text, { on: { webhook: { outputs: { body } } } })
}
