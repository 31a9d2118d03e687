import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { PAGES } from './pages.ts'

const EXAMPLES = new URL('../../examples/workflows/', import.meta.url)

/** Nobody is sent to a name on npm that is not ours yet: whoever registers it would run there. */
const FETCHED = /\b(?:npx|npm exec|pnpm dlx|bunx|yarn dlx)(?: -\S+)* hookline\b/

test.each(PAGES)('$name fetches no command line from npm', ({ text }) => {
  expect(text).not.toMatch(FETCHED)
})

test('nor does what messages and help tell to run', () => {
  const src = new URL('../../src/', import.meta.url)
  const names = readdirSync(src, { recursive: true, encoding: 'utf8' })
  const told = names.filter(
    (name) => /\.tsx?$/.test(name) && FETCHED.test(readFileSync(new URL(name, src), 'utf8')),
  )
  expect(told).toEqual([])
})

test.each(['npx hookline init', 'npx --yes hookline init', 'bunx hookline'])(
  '%s is known for one that would',
  (text) => {
    expect(text).toMatch(FETCHED)
  },
)

const TEXTS = [
  ...PAGES,
  ...readdirSync(EXAMPLES).map((name) => ({
    name,
    text: readFileSync(new URL(name, EXAMPLES), 'utf8'),
  })),
]

test.each(TEXTS)('$name names the first major version of the action, or a commit', ({ text }) => {
  const versions = text.match(/(?<=\bhookline\/hookline(?:\/reply)?@)[\w.]+/g) ?? []
  expect(versions.filter((version) => !/^v1(?:\.\d+)*$|^[0-9a-f]{40}$/.test(version))).toEqual([])
  expect(text).not.toMatch(/@([0-9a-f])\1{39}\b/)
})

/** As `wc -w` counts. */
test.each([
  ['docs/', 30_000],
  ['README.md', 900],
])('%s has at most %i words in all', (place, most) => {
  const texts = PAGES.filter(({ name }) => name.startsWith(place)).map(({ text }) => text)
  expect(texts.join(' ').match(/\S+/g)?.length).toBeLessThanOrEqual(most)
})

test('the first screen of README.md leads each sender to its page', () => {
  const readme = PAGES.find(({ name }) => name === 'README.md')
  const [screen = ''] = readme?.text.split(/^## /m) ?? []
  const targets = [...screen.matchAll(/\]\(([^)]+)\)/g)].map(([, target]) => target)
  expect(targets).toEqual(
    expect.arrayContaining(['docs/senders/README.md', 'docs/senders/curl.md', 'docs/bot.md']),
  )
  expect(screen.split('\n').length).toBeLessThan(60)
})

test('README.md tells what shows it, and what tests it, in a clone', () => {
  const readme = PAGES.find(({ name }) => name === 'README.md')?.text
  expect(readme).toMatch(/^node examples\/demo\.js$/m)
  expect(readme).toContain('`npm cit`')
})
