import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from '@jest/globals'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const PAGE = readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8')

/** Files named without their folder stand beside another one of the same line. */
function missingIn(line: string): string[] {
  const named = [...line.matchAll(/`([\w./-]+)`/g)].map(([, name = '']) => name)
  const whole = named.filter((name) =>
    /^(?:src|__tests__|scripts|docs|examples|bench|dist)\//.test(name),
  )
  const short = named.filter((name) => /^[\w-]+\.(?:ts|tsx|js|json|yml|md)$/.test(name))
  const besides = [
    ROOT,
    ...whole.map((path) => join(ROOT, path.endsWith('/') ? path : dirname(path))),
  ]
  return [
    ...whole.filter((path) => !existsSync(join(ROOT, path))),
    ...short.filter((name) => !besides.some((folder) => existsSync(join(folder, name)))),
  ]
}

test('CONTRIBUTING.md names only files that there are', () => {
  expect(PAGE.split('\n').flatMap(missingIn)).toEqual([])
})

test.each(['see `src/relay/nowhere.ts`', '`src/relay/relay.ts`, with `nowhere.ts`'])(
  'it would not pass with: %s',
  (line) => expect(missingIn(line)).toHaveLength(1),
)

/** What somebody wants to change, and a text that only the file to open has. */
const WANTED: readonly (readonly [what: string, text: string])[] = [
  ['what the relay answers on 429', "429, 'rate_limited'"],
  ['what a bot’s item contains', 'export function updateItem'],
  ['how `on.` is rewritten', 'export function rewriteExpression'],
]

describe('who wants to change', () => {
  const rows =
    PAGE.split(/^\| to change \| open \|$/m)[1]
      ?.split('\n\n')[0]
      ?.split('\n') ?? []

  test.each(WANTED)('%s finds the one file', (what, text) => {
    const row = rows.find((line) => line.replaceAll("'", '’').startsWith(`| ${what}`)) ?? ''
    const [, path = ''] = /`(src\/[\w./-]+\.ts)`/.exec(row) ?? []
    expect(path).not.toBe('')
    expect(readFileSync(join(ROOT, path), 'utf8')).toContain(text)
    const beside = readdirSync(join(ROOT, dirname(path))).filter((name) => name !== basename(path))
    const others = beside
      .filter((name) => name.endsWith('.ts'))
      .filter((name) => readFileSync(join(ROOT, dirname(path), name), 'utf8').includes(text))
    expect(others).toEqual([])
  })
})
