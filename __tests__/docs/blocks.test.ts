import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { IS_FULL } from '../support/effort.ts'
import { type Block, PAGES, type Page } from './pages.ts'
import { missingFor } from './programs.ts'
import { runBlock } from './run-block.ts'
import { PRINTS, SCENARIOS } from './scenarios.ts'
import { type Session, startSession } from './session.ts'
import { SESSIONS } from './sessions.ts'
import { FIRST_COMMAND, NOT_WALKED, walkSender } from './walk.ts'

const rank = ({ language }: Block) => Number(language === 'yaml')

/** Whose pages are walked in every `npm cit`: the others are made from the same text, and take seconds. */
const FEW = ['stripe']

/** Whose workflows for the compiler are run then: those of others are their native ones again. */
const FEW_COMPILED = ['stripe', 'slack', 'discord', 'twilio', 'google-form']

/** What is made of a sender for the compiler, after the native workflow of the same. */
const isAlike = ({ name }: Page, { text }: Block, sender: string) =>
  name.startsWith('docs/senders/') &&
  text.startsWith(`# workflows/${sender}.yml\n`) &&
  !FEW_COMPILED.includes(sender)

/** Run without its files, and looked at, in __tests__/cli/walk.test.ts. */
const DEMO = 'node examples/demo.js\n'

const WITH_BLOCKS = PAGES.filter(({ blocks }) => blocks.length > 0)

describe.each(WITH_BLOCKS)('$name', (page) => {
  let session: Session
  beforeAll(async () => {
    session = await startSession(SESSIONS[page.name])
  })
  afterAll(() => session.close())

  const isWalk = ({ text }: Block) => text.startsWith(FIRST_COMMAND)
  const first = page.blocks.find(isWalk)
  const sender = page.name.replace(/.*\/|\.md$/g, '')
  if (first && (IS_FULL || FEW.includes(sender))) {
    const { [sender]: without } = NOT_WALKED
    const how = without ? `, ${without}` : ''
    test(`its commands lead to a run${how}`, async () => {
      try {
        await walkSender(first, page, session)
      } finally {
        session.github.reset()
      }
    })
  }

  // Workflows come last: they are run on what the page's own commands have sent them.
  const run = page.blocks.filter(
    (block) =>
      !isWalk(block) && (IS_FULL || !(block.text === DEMO || isAlike(page, block, sender))),
  )
  const blocks = run.toSorted((one, other) => rank(one) - rank(other))
  for (const block of blocks) {
    const missing = missingFor(block.text)
    const name = [
      `line ${block.line}: ${block.language}`,
      ...missing.map((one) => `without ${one}`),
    ]
    const it = missing.length > 0 ? test.skip : test
    it(name.join(', '), async () => {
      await runBlock(block, page, session)
      expect(session.elsewhere.faults).toEqual([])
      expect(session.github.calls.flatMap(({ violations }) => violations)).toEqual([])
    })
  }
})

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
    session = await startSession({ files: { 'workflows/hook.yml': 'on: webhook\njobs: {}\n' } })
  })
  afterAll(() => session.close())

  test.each([
    ['yaml', NATIVE],
    ['yaml', SOURCE],
    ['sh', 'hookline keys access\n# hlk_…\n'],
    ['dotenv', 'HOOKLINE_KEYS=a\n'],
  ])('of %s would pass if it were right: %j', async (language, text) => {
    await run(language, text)
  })

  test.each([
    ['cobol', 'STOP RUN.\n'],
    ['sh', '\n'],
    ['yaml', NATIVE.replace('runs-on', 'run-on')],
    ['yaml', NATIVE.replace('with: {on:', 'with: {onn:')],
    ['yaml', NATIVE.replace('outputs.body', 'outputs.boddy')],
    ['yaml', NATIVE.replace('echo "$A"', 'echo ${{ steps.hook.outputs.body }}')],
    ['yaml', NATIVE.replace('on: webhook', 'on: {webhook: {methd: post}}')],
    ['yaml', NATIVE.replace('echo "$A"', 'echo "$B" && ecko')],
    ['yaml', SOURCE.replace('outputs.body', 'outputs.boddy')],
    ['yaml', SOURCE.replace('on: webhook', 'on: {webhook: {methd: post}}')],
    ['yaml', SOURCE.replace('runs-on', 'run-on')],
    ['yaml', SOURCE.replace('echo "$A"', 'echo ${{ on.webhook.outputs.body }}')],
    ['yaml', '- uses: hookline/hookline@v1\n  with: {onn: webhook}\n'],
    ['yaml', 'webhook:\n  config: {limitt: 1}\n'],
    ['yaml', 'verify:\n  scheme: githubb\n'],
    ['yaml', 'colour: red\n'],
    ['yaml', '# yaml-language-server: $schema=https://example.com/a.json\n'],
    ['yaml', '# .github/dependabot.yml\nversion: 1\nupdates: []\n'],
    ['sh', 'hookline relay --prot 1\n'],
    ['sh', 'hookline keys access\n# hlx_…\n'],
    ['sh', 'echo "$NOBODY_SET_THIS"\n'],
    ['sh', 'npm run nothing\n'],
    ['sh', 'npx wrangler secret put HOOKLINE_NOTHING < /etc/hostname\n'],
    ['sh', 'curl -sS --fail https://example.com/\n'],
    ['dotenv', 'HOOKLINE_NOTHING=a\n'],
    ['json', '{"a":1}\n'],
    ['json', '{"webhook":{"outputs":{"body":1,"method":"put"}}}\n'],
    ['text', 'Usage: hookline url [options]\n'],
    ['text', 'something that nothing prints\n'],
    ['text', 'error: unknown trigger "a"\n --> workflows/a.yml:1:5\n  |\n1 | on: b\n  |     ^\n'],
    ['text', 'key → sort → filter\n'],
    ['nginx', 'server {\n  lisssten 80;\n}\n'],
    ['nginx', 'listen 80;\n'],
    ['nginx', 'server {\n  listen 80;\n}\n'],
    ['caddyfile', 'a.example {\n    reverse_proxi 10.0.0.1:3000\n}\n'],
  ])('of %s fails: %j', async (language, text) => {
    await expect(async () => run(language, text)).rejects.toThrow()
  })

  async function run(language: string, text: string): Promise<void> {
    const block = { page: 'a.md', line: 2, heading: '', language, text }
    await runBlock(block, { name: 'a.md', text: '', blocks: [block] }, session)
  }
})

test('nothing is kept for a block that has gone', () => {
  const known = PAGES.flatMap(({ name, blocks }) =>
    blocks.flatMap(({ heading, text }) => {
      const [, file] = /^# \S*?([\w-]+)\.yml\n/.exec(text) ?? []
      return [heading, file, text.split('\n')[0]].map((key) => `${name} ${key}`)
    }),
  )
  const kept = [...Object.keys(SCENARIOS), ...Object.keys(PRINTS)]
  expect(kept.filter((key) => !known.includes(key))).toEqual([])
  const pages = PAGES.map(({ name }) => name)
  expect(Object.keys(SESSIONS).filter((name) => !pages.includes(name))).toEqual([])
})
