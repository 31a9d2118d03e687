import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { testBlocks } from './blocks.ts'
import { PAGES } from './pages.ts'
import { runBlock } from './run-block.ts'
import { SCENARIOS } from './scenarios.ts'
import { type Session, startSession } from './session.ts'
import { SESSIONS } from './sessions.ts'

testBlocks('others')

/** At least one mistake in each language, so that no runner accepts everything. */
describe('a wrong block', () => {
  const NATIVE = `# .github/workflows/hook.yml
on: {repository_dispatch: {types: [webhook]}}
jobs:
  a:
    runs-on: ubuntu-latest
    steps:
      - {uses: hookline/hookline@v1, id: hook, with: {on: webhook}}
      - {run: 'echo "$A"', env: {A: '\${{ steps.hook.outputs.body }}'}}
`
  const SOURCE = `# workflows/hook.yml
on: webhook
jobs: {a: {runs-on: ubuntu-latest, steps: [{run: 'echo "$A"', env: {A: '\${{ on.webhook.outputs.body }}'}}]}}
`
  let session: Session
  beforeAll(async () => {
    session = await startSession({ files: { 'workflows/hook.yml': SOURCE } })
  })
  afterAll(() => session.close())

  test.each([
    ['yaml', NATIVE],
    ['yaml', SOURCE],
  ])('of %s passes once it is right: %j', async (language, text) => {
    await run(language, text)
  })

  test.each([
    ['cobol', 'STOP RUN.\n'],
    ['sh', '\n'],
    ['yaml', NATIVE.replace('runs-on', 'run-on')],
    ['yaml', NATIVE.replace('outputs.body', 'outputs.boddy')],
    ['yaml', NATIVE.replace('echo "$A"', 'echo ${{ steps.hook.outputs.body }}')],
    ['yaml', NATIVE.replace('echo "$A"', 'echo "$B" && ecko')],
    ['yaml', SOURCE.replace('outputs.body', 'outputs.boddy')],
    ['yaml', 'webhook:\n  config: {limitt: 1}\n'],
    ['yaml', 'colour: red\n'],
    ['sh', 'hookline relay --prot 1\n'],
    ['sh', 'hookline keys create access\n# hlx_…\n'],
    ['sh', 'curl -sS --fail https://example.com/\n'],
    ['dotenv', 'HOOKLINE_NOTHING=a\n'],
    ['json', '{"webhook":{"outputs":{"body":1,"method":"put"}}}\n'],
    ['text', 'something that nothing prints\n'],
    ['text', 'error: unknown trigger "a"\n --> workflows/a.yml:1:5\n  |\n1 | on: b\n  |     ^\n'],
    ['nginx', 'server {\n  lisssten 80;\n}\n'],
    ['powershell', 'git clone https://example.com/other $HOME\\other\n'],
    ['powershell', 'hookline check && hookline build\n'],
    ['caddyfile', 'a.example {\n    reverse_proxi 10.0.0.1:3000\n}\n'],
  ])('of %s fails: %j', async (language, text) => {
    await expect(run(language, text)).rejects.toThrow()
  })

  async function run(language: string, text: string): Promise<void> {
    const block = { page: 'a.md', line: 2, heading: '', language, text }
    await runBlock(block, { name: 'a.md', text: '', blocks: [block] }, session)
  }
})

test('every scenario belongs to a block of a page', () => {
  const known = PAGES.flatMap(({ name, blocks }) =>
    blocks.flatMap(({ heading, text }) => {
      const [, file] = /^# \S*?([\w-]+)\.yml\n/.exec(text) ?? []
      return [heading, file].map((key) => `${name} ${key}`)
    }),
  )
  expect(Object.keys(SCENARIOS).filter((key) => !known.includes(key))).toEqual([])
  const pages = PAGES.map(({ name }) => name)
  expect(Object.keys(SESSIONS).filter((name) => !pages.includes(name))).toEqual([])
})

test('a page that starts a relay names each variable of Hookline that its reader has', () => {
  const unnamed = PAGES.flatMap(({ name, text, blocks }) => {
    const startsRelay = blocks.some((block) => /^ *hookline relay\b/m.test(block.text))
    const variables = Object.keys(SESSIONS[name]?.env ?? {})
    return startsRelay
      ? variables.flatMap((one) => (text.includes(one) ? [] : [`${name} ${one}`]))
      : []
  })
  expect(unnamed).toEqual([])
})
