import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { PAGES } from './pages.ts'

const EXAMPLES = new URL('../../examples/workflows/', import.meta.url)

/** The name on npm is not ours yet; its owner could run any code on the machine of a reader. */
const FETCHED = /\b(?:npx|npm exec|pnpm dlx|bunx|yarn dlx)(?: -\S+)* hookline\b/

test.each(PAGES)('$name fetches no command line from npm', ({ text }) => {
  expect(text).not.toMatch(FETCHED)
})

/** README.md installs the command before it leads to these pages. */
const FROM_README = ['docs/guides/test-locally.md', 'docs/guides/test-in-ci.md']

const WITH_COMMANDS = PAGES.filter(
  ({ name, blocks }) =>
    /^docs\/(guides|host)\//.test(name) &&
    !FROM_README.includes(name) &&
    blocks.some(({ language, text }) => language === 'sh' && /^hookline /m.test(text)),
)

test.each(WITH_COMMANDS)('$name says where the command line comes from', ({ text }) => {
  expect(text).toContain('](../reference/commands.md#install)')
})

test('no message and no help text fetches the command line from npm', () => {
  const src = new URL('../../src/', import.meta.url)
  const names = readdirSync(src, { recursive: true, encoding: 'utf8' })
  const fetching = names.filter(
    (name) => /\.tsx?$/.test(name) && FETCHED.test(readFileSync(new URL(name, src), 'utf8')),
  )
  expect(fetching).toEqual([])
})

const TEXTS = [
  ...PAGES,
  ...readdirSync(EXAMPLES).map((name) => ({
    name,
    text: readFileSync(new URL(name, EXAMPLES), 'utf8'),
  })),
]

test.each(TEXTS)('$name names the first major version of the action, or a commit', ({ text }) => {
  // The page of rules shows a mistake as the removed line of a difference.
  const versions =
    text.replaceAll(/^-- uses.*$/gm, '').match(/(?<=\bhookline\/hookline(?:\/reply)?@)[\w.]+/g) ??
    []
  expect(versions.filter((version) => !/^v1(?:\.\d+)*$|^[0-9a-f]{40}$/.test(version))).toEqual([])
  expect(text).not.toMatch(/@([0-9a-f])\1{39}\b/)
})

test('the first screen of README.md leads each sender to its page', () => {
  const readme = PAGES.find(({ name }) => name === 'README.md')
  const [screen = ''] = readme?.text.split(/^## /m) ?? []
  const targets = [...screen.matchAll(/\]\(([^)]+)\)/g)].map(([, target]) => target)
  expect(targets).toEqual(
    expect.arrayContaining([
      'docs/senders/README.md',
      'docs/senders/curl.md',
      'docs/start/telegram-bot.md',
    ]),
  )
  expect(screen.split('\n').length).toBeLessThan(60)
})

test('README.md has the commands for the demo and for the tests in a clone', () => {
  const readme = PAGES.find(({ name }) => name === 'README.md')?.text
  expect(readme).toMatch(/^node examples\/demo\.js$/m)
  expect(readme).toContain('`npm cit`')
})
