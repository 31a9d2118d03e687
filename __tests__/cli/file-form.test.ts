import { expect, test } from '@jest/globals'
import { checkWorkflows } from '../../src/cli/check.ts'
import { inFormOf } from '../../src/cli/files.ts'
import { withUnixLines } from '../../src/workflow/source-text.ts'
import { GLOBS, HOOK, Repository, statusOf } from '../compiler/support/repository.ts'
import { fc } from '../support/properties.ts'

test.each([
  ['CRLF', 'a\r\nb\r\n', 'a\nc\nb\n', 'a\r\nc\r\nb\r\n'],
  ['CRLF without a last line break', 'a\r\nb', 'a\nb\nc\n', 'a\r\nb\r\nc'],
  ['LF without a last line break', 'a\nb', 'a\nc\n', 'a\nc'],
  ['a last line break that the change lacks', 'a\nb\n', 'a\nc', 'a\nc\n'],
  ['a byte order mark', '\uFEFFa\r\nb\r\n', 'b\n', '\uFEFFb\r\n'],
  ['a carriage return alone', 'a\rb\r', 'a\nc\nb\n', 'a\rc\rb\r'],
  ['mixed line breaks', 'a\r\nb\nc\r\n', 'a\nx\nb\ny\nc\n', 'a\r\nx\r\nb\ny\nc\r\n'],
  ['one line', 'a', 'b\n', 'b'],
  ['nothing', '', 'a\nb\n', 'a\nb\n'],
])('%s stays', (_, original, text, expected) => {
  expect(inFormOf(original, text)).toBe(expected)
})

test('a text without a change stays byte by byte', () => {
  const part = fc.constantFrom('a', 'b', ' ', '\n', '\r\n', '\r', '', 'a: |\n')
  fc.assert(
    fc.property(fc.array(part), fc.boolean(), (parts, hasMark) => {
      const original = (hasMark ? '\uFEFF' : '') + parts.join('')
      expect(inFormOf(original, withUnixLines(original))).toBe(original)
    }),
    { numRuns: 1000 },
  )
})

const LINES = `on: webhook
jobs:
  a:
    runs-on: ubuntu-latest
    steps:
      - run: |
          # why
          echo \${{ on.webhook.outputs.body.x }}
      - run: echo hi`

test.each([
  ['CRLF', `${LINES.replaceAll('\n', '\r\n')}\r\n`],
  ['CRLF, a byte order mark and no last line break', `\uFEFF${LINES.replaceAll('\n', '\r\n')}`],
  ['carriage returns alone', LINES.replaceAll('\n', '\r')],
  ['LF without a last line break', LINES],
  ['mixed line breaks', LINES.replace('a:\n', 'a:\r\n').replace('steps:\n', 'steps:\r\n')],
])('--fix of %s changes only the lines of the fix', async (_, original) => {
  const repository = new Repository()
  repository.write('workflows/hook.yml', original)
  const { fixed } = await checkWorkflows({ root: repository.root, globs: GLOBS, fix: true })
  expect(fixed).toEqual([{ file: 'workflows/hook.yml', count: 1 }])
  const text = repository.read('workflows/hook.yml')
  const isNew = (line: string) => /WEBHOOK_BODY_X|^ +env:/.test(line)
  const lines = (whole: string) => whole.match(/[^\r\n]*(?:\r\n?|\n|$)/g) ?? []
  const expected = lines(original).filter((line) => !line.includes('on.webhook'))
  expect(lines(text).filter((line) => !isNew(line))).toEqual(expected)
  expect(text).toContain('env:')
  await repository.build()
  const compiled = repository.read('.github/workflows/hook.yml')
  expect(compiled).not.toMatch(/\r|\uFEFF/)
  repository.remove()
})

test('a compiled file that changes keeps its CRLF', async () => {
  const repository = new Repository()
  await repository.build()
  const path = '.github/workflows/hook.yml'
  repository.write(path, `\uFEFF${repository.read(path).replaceAll('\n', '\r\n')}`)
  expect(statusOf(await repository.build())).toEqual([`unchanged ${path}`])
  repository.write('workflows/hook.yml', HOOK.replace('hi', 'ho'))
  expect(statusOf(await repository.build({ force: true }))).toEqual([`changed ${path}`])
  expect(repository.read(path)).toMatch(/^\uFEFF# Generated.*\r\n(?:[^\r\n]*\r\n)*$/)
  expect(repository.read(path)).toContain('echo ho')
  repository.remove()
})

test('%YAML 1.1 is compiled as any other file', async () => {
  const repository = new Repository()
  repository.write('workflows/hook.yml', `%YAML 1.1\n---\n${HOOK}`)
  const { errors, warnings } = await repository.build()
  expect([errors, warnings]).toEqual([[], []])
  expect(repository.read('.github/workflows/hook.yml')).toContain('repository_dispatch')
  repository.remove()
})
