import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import { secretsOf } from '../../src/cli/init/sender.ts'
import { TRIGGERS } from '../../src/triggers/index.ts'
import { SENDERS } from '../../src/triggers/senders.ts'
import { SCHEMES } from '../../src/triggers/verify/schemes.ts'
import { readWorkflowFile } from '../../src/workflow/workflow.ts'
import { bound } from '../support/receive.ts'

const root = new URL('../../', import.meta.url)
const pages = readdirSync(new URL('docs/senders/', root)).filter((name) => name.endsWith('.md'))
const guide = read('docs/senders/README.md')
const secrets = exampleSecrets()

const KEY = 'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a'

const SERVICES = [
  ['aws_sns', 'aws-sns'],
  ['typeform', 'typeform'],
  ['slack', 'slack'],
  ['trello', 'trello'],
  ['google_form', 'google-form'],
] as const

function read(name: string): string {
  return readFileSync(new URL(name, root), 'utf8')
}

/** The blocks of a language, in their order. */
function blocks(text: string, language: string): string[] {
  const found = text.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'gm'))
  return [...found].map(([, block = '']) => block)
}

/** What stands in the first column of the table under a heading of its own. */
function firstColumn(text: string, heading: string): string[] {
  const [, table = ''] =
    new RegExp(`^\\| ${heading} \\|.*\\n\\| ---.*\\n((?:\\|.*\\n)+)`, 'm').exec(text) ?? []
  const cells = table.split('\n').map((row) => row.split('|')[1] ?? '')
  return cells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name))
}

/** A value for each secret that a made page names. */
const VALUES = Object.fromEntries(
  SENDERS.flatMap((sender) =>
    secretsOf(sender).map((name) => [
      name,
      { DISCORD_PUBLIC_KEY: KEY, TEAMS_SECURITY_TOKEN: 'aHVzaA==' }[name] ?? 'https://e.example/',
    ]),
  ),
)

function exampleSecrets(): Record<string, string> {
  const lines = read('examples/.env')
    .split('\n')
    .filter((line) => /^\w+=/.test(line))
  return Object.fromEntries(lines.map((line) => line.split(/=(.*)/s, 2)))
}

/** Those that are about a sender: PayPal's says why it is none. */
const about = pages.filter((name) => !['README.md', 'paypal.md'].includes(name))

describe.each(about)('%s', (page) => {
  const text = read(`docs/senders/${page}`)
  const [workflow = ''] = blocks(text, 'yaml')
  const [, file = ''] = /^# (workflows\/[\w-]+\.yml)\n/.exec(workflow) ?? []

  test('has a part for each thing that one asks', () => {
    const parts = [...text.matchAll(/^## (.*)$/gm)].map(([, title]) => title)
    expect(parts).toEqual(['Set up', 'Workflow', 'Verification', 'Retries', 'Deduplicate by'])
    expect(guide).toContain(`(${page})`)
  })

  // A page that is made of the table of senders shows what `init --sender` writes.
  const isMade = text.startsWith('<!-- Made by "npm run docs"')
  const example = isMade ? workflow.replace(/^#.*\n/, '') : read(`examples/${file}`)

  test('shows the example that is in the repository, or of init, and it is right', () => {
    expect(workflow).toBe(`# ${file}\n${example}`)
    const source = { name: file, file, text: example }
    const { triggers } = readWorkflowFile('hook', source, { secrets: isMade ? VALUES : secrets })
    expect(triggers).toHaveLength(1)
    expect(text).toContain(`/${file.replace(/workflows\/|\.yml/g, '')}/${triggers[0]?.name}`)
  })

  test('reads only outputs that there are', () => {
    const uses = [...example.matchAll(/on\.(\w+)\.outputs\.(\w+)/g)]
    expect(uses).not.toEqual([])
    for (const [, trigger = '', field = ''] of uses) {
      expect(Object.keys(TRIGGERS.get(trigger)?.outputs ?? {})).toContain(field)
    }
  })
})

describe('README.md', () => {
  test('names every scheme', () => {
    expect(firstColumn(guide, 'scheme').sort()).toEqual([...SCHEMES.keys()].sort())
  })

  test('names every sender, and says of each page that there is', () => {
    const links = [
      ...guide.matchAll(/^\| (?:\[([^\]]+)\]\(([\w-]+\.md)\)|([^|`]+)) \| `([\w-]+)`/gm),
    ]
    expect(links.map(([, , , , name]) => name)).toEqual(SENDERS.map(({ name }) => name))
    const others = ['README.md', 'paypal.md', 'curl.md', 'ifttt.md', 'zapier.md']
    const linked = links.flatMap(([, , page]) => page ?? [])
    expect([...linked, ...others].sort()).toEqual([...pages].sort())
    expect(guide).toContain(`${SENDERS.length} senders are known by name`)
  })

  test('names every option', () => {
    const options = firstColumn(guide, 'option')
    const result = TRIGGERS.get('webhook')?.bind({
      verify: { scheme: 'github', secret: 'x', no: 1 },
    })
    const message = result && 'issues' in result ? result.issues[0]?.message : ''
    expect(message).toBe(`options: ${options.join(', ')}`)
  })
})

test.each(SERVICES)('the page of %s names every field', (trigger, page) => {
  const text = read(`docs/senders/${page}.md`)
  const missing = Object.keys(TRIGGERS.get(trigger)?.outputs ?? {}).filter(
    (field) => !text.includes(`\`${field}\``) && !text.includes(`.${field}`),
  )
  expect(missing).toEqual([])
  expect(bound(trigger, {}).keys.own && text).toContain(`\`${bound(trigger, {}).keys.own}\``)
})
