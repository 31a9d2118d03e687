import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from '@jest/globals'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const PAGE = readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8')
const MAINTAIN = readFileSync(join(ROOT, 'docs/maintain.md'), 'utf8')
const MANIFEST = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))

/** Paths in backticks that do not exist; `<name>` matches any name. */
function missingFiles(text: string): string[] {
  const named = [
    ...text.matchAll(/`((?:src|__tests__|scripts|docs|examples|bench|dist|deploy)\/[\w./-]*)`/g),
  ]
  return named.map(([, path = '']) => path).filter((path) => !existsSync(join(ROOT, path)))
}

test('CONTRIBUTING.md and docs/maintain.md name only files and folders that exist', () => {
  expect(missingFiles(PAGE + MAINTAIN)).toEqual([])
  expect(missingFiles('see `src/relay/nowhere.ts`')).toEqual(['src/relay/nowhere.ts'])
})

/** Cells of a table below its header row. */
function rowsBelow(header: string, page = PAGE): string[][] {
  const [, table = ''] = page.split(`${header}\n`)
  const lines = table.split('\n\n', 1)[0]?.split('\n').slice(1) ?? []
  return lines.map((line) => line.slice(2, -2).split(' | '))
}

describe('the map', () => {
  const rows = rowsBelow('| to change | open | look for |').map(
    (cells) => cells.map((cell) => cell.replaceAll('`', '')) as [string, string, string],
  )

  test('has rows', () => expect(rows.length).toBeGreaterThan(10))

  test.each(rows)('%s: %s exports %s', (_, path, name) => {
    expect(exportedNames(path)).toContain(name)
  })
})

function exportedNames(path: string): string[] {
  const text = readFileSync(join(ROOT, path), 'utf8')
  const declared = text.matchAll(
    /^export (?:async )?(?:function\*?|const|class|interface|type) (\w+)/gm,
  )
  return [...declared].map(([, name = '']) => name)
}

test('the table of packages names every development dependency once', () => {
  const cells = rowsBelow('| purpose | packages |', MAINTAIN).map(([, packages = '']) => packages)
  const named = [...cells.join(' ').matchAll(/`([^`]+)`/g)].map(([, name = '']) => name)
  expect(named.sort()).toEqual(Object.keys(MANIFEST.devDependencies).sort())
})

test('the table of commands names every script that a contributor runs', () => {
  const named = rowsBelow('| command | purpose |').map(([command = '']) => command)
  const missing = ['fix', 'test', 'jest', 'typecheck', 'lint', 'bench', 'test:soak'].filter(
    (name) =>
      !named.some(
        (command) => command.includes(`npm run ${name}`) || command.includes(`npm ${name}`),
      ),
  )
  expect(missing).toEqual([])
})

test('the first screen is: clone, change, fix, test', () => {
  const [, block = ''] = /```sh\n([\s\S]*?)```/.exec(PAGE) ?? []
  expect(PAGE.indexOf(block)).toBeLessThan(300)
  for (const part of ['git clone', 'npm ci', 'npm run fix', 'npm test -- '])
    expect(block).toContain(part)
})
