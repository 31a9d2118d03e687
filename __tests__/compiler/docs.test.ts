import { readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { IGNORED_KEYS, MOVED_KEYS } from '../../src/triggers/config-options.ts'
import { compileText } from './support/compiled.ts'

const page = (name: string) =>
  readFileSync(new URL(`../../docs/${name}.md`, import.meta.url), 'utf8')

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
