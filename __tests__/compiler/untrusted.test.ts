import { describe, expect, test } from '@jest/globals'
import { findUntrusted } from '../../src/compiler/untrusted/findings.ts'
import { sourceFile, withStep } from './support/compiled.ts'
import { flagged, X } from './support/untrusted.ts'

describe('R44: flags what a sender could word', () => {
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
    'hashFiles(on.webhook.outputs.body)',
    "startsWith(on.webhook.outputs.body, 'a')",
    "endsWith(on.webhook.outputs.body, 'a')",
    'success()',
    '',
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
