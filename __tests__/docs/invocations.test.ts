import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import { commandNames } from '../../scripts/docs/commands.js'
import { mentions, PAGES, type Page } from './pages.ts'

const EXAMPLES = new URL('../../examples/workflows/', import.meta.url)
const COMMANDS = commandNames().join('|')

/** A command in a line of a shell, but for what one prints. */
const IN_SHELL = new RegExp(`(?<!npx )(?<=^|[\\s(;|&"])hookline (?:${COMMANDS})\\b`)

/** How a page would have its reader start the command line without installing it. */
function bare(page: Page): string[] {
  const inText = mentions(page).filter(({ code }) =>
    new RegExp(`^hookline (?:${COMMANDS})\\b`).test(code),
  )
  const inBlocks = page.blocks.flatMap(({ language, line, text }) =>
    ['sh', 'bash', 'console'].includes(language)
      ? text.split('\n').flatMap((code, at) => {
          const isCommand = !code.trimStart().startsWith('#') && IN_SHELL.test(code)
          return isCommand ? [{ line: line + at, code }] : []
        })
      : [],
  )
  return [...inText, ...inBlocks].map(({ line, code }) => `${page.name}:${line} ${code}`)
}

test.each(PAGES)('$name: the command line is called by npx', (page) => {
  expect(bare(page)).toEqual([])
})

describe('a page would not pass with', () => {
  test.each([
    'See `hookline init`.',
    '```sh\nhookline dev\n```',
    '```sh\nA=1 hookline dev\n```',
    '```sh\nA="$(hookline keys sign)"\n```',
  ])('%j', (text) => {
    const [, language = '', code = ''] = /^```(\w+)\n(.*)\n```$/.exec(text) ?? []
    const block = { page: 'a.md', line: 2, heading: '', language, text: `${code}\n` }
    expect(bare({ name: 'a.md', text, blocks: code ? [block] : [] })).toHaveLength(1)
  })
})

test('what messages and help tell to run is called by npx, too', () => {
  const src = new URL('../../src/', import.meta.url)
  const told = readdirSync(src, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .flatMap((name) =>
      readFileSync(new URL(name, src), 'utf8')
        .split('\n')
        .filter((line) => !/^\s*(\/?\*|\/\/)/.test(line))
        .filter((line) => /(?<!npx )\bhookline (keys|grant|seal|outbox)\b|\$ hookline/.test(line))
        .map((line) => `${name}: ${line.trim()}`),
    )
  expect(told).toEqual([])
})

const TEXTS = [
  ...PAGES,
  ...readdirSync(EXAMPLES).map((name) => ({
    name,
    text: readFileSync(new URL(name, EXAMPLES), 'utf8'),
  })),
]

// The page of versions names a release, too.
const UNPINNED = TEXTS.filter(({ name }) => name !== 'docs/pinning.md')

test.each(UNPINNED)(
  '$name names the first major version of the action, or a commit',
  ({ text }) => {
    const versions = text.match(/(?<=\bhookline\/hookline(?:\/reply)?@)[\w.]+/g) ?? []
    expect(versions.filter((version) => !/^v1(?:\.\d+)*$|^[0-9a-f]{40}$/.test(version))).toEqual([])
    expect(text).not.toMatch(/@([0-9a-f])\1{39}\b/)
  },
)

test('the first screen of README.md leads each sender to its page', () => {
  const readme = PAGES.find(({ name }) => name === 'README.md')
  const [screen = ''] = readme?.text.split(/^## /m) ?? []
  const targets = [...screen.matchAll(/\]\(([^)]+)\)/g)].map(([, target]) => target)
  expect(targets).toEqual(
    expect.arrayContaining(['docs/senders/README.md', 'docs/senders/curl.md', 'docs/bot.md']),
  )
  expect(screen.split('\n').length).toBeLessThan(60)
})
