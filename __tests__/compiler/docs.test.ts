import { readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { buildCommand } from '../../src/cli/build.ts'
import { IGNORED_KEYS, MOVED_KEYS } from '../../src/triggers/config-options.ts'
import { compileText } from './support/compiled.ts'

const page = (name: string) =>
  readFileSync(new URL(`../../docs/${name}.md`, import.meta.url), 'utf8')

test('the page of the compiler lists the settings and flags of the command, and no others', () => {
  const text = page('reference/compiler')
  const flags = [...text.matchAll(/^\| `(--[a-z-]+)/gm)].map(([, flag]) => flag)
  const [, table = ''] = /<!-- settings:start -->(.*)<!-- settings:end -->/s.exec(text) ?? []
  const settings = [...table.matchAll(/^\| `([a-z-]+): /gm)].map(([, key]) => `--${key}`)
  expect([...flags, ...settings].sort()).toEqual(
    buildCommand()
      .options.map(({ long }) => long)
      .sort(),
  )
})

test('the page on Actionsflow names every key that has gone', () => {
  const text = page('guides/from-actionsflow')
  const gone = [...MOVED_KEYS.keys(), ...IGNORED_KEYS.keys()]
  expect(gone.length).toBeGreaterThan(0)
  for (const key of gone) expect(text).toContain(`\`config.${key}\``)
})

test('the page shows what its example is compiled into, to the byte', async () => {
  const blocks = [...page('reference/compiler').matchAll(/^```yaml\n# (\S+)\n(.*?)^```$/gms)]
  const [source, made] = blocks.map(([, , text = '']) => text)
  expect(blocks[1]?.[1]).toBe('.github/workflows/hook.yml')
  expect((await compileText(source ?? '')).main).toBe(made)
})
