import { describe, expect, test } from '@jest/globals'
import { parse } from 'yaml'
import { sourceFile, withStep } from '../compiler/support/compiled.ts'
import { fill, fixUntrusted, flagged, step, X } from './support/untrusted.ts'

describe('a script of github-script', () => {
  const scripts: readonly (readonly [script: string, expected: unknown])[] = [
    [`return \${{ toJSON(on.webhook.outputs.body) }}`, 'body'],
    [`return \${{ toJSON(on.webhook.outputs.body.n) }} + 1`, 43],
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
        `\${globalThis.pwned = 1}`,
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
    `return ${X} + 1`,
    `if (${X}) core.info('live')`,
    `'${X}'\nreturn 1`,
  ])('%j is left to a person', (script) => {
    const source = withStep(
      step(script, 'uses: actions/github-script@v7\n        with:\n          script'),
    )
    expect(fixUntrusted(sourceFile(source)).count).toBe(0)
  })
})
