import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import { parse } from 'yaml'
import { senderText } from '../../scripts/docs/sender-text.js'
import { KINDS } from '../../src/cli/init/kinds.ts'
import { TRIGGERS } from '../../src/triggers/index.ts'
import { SENDERS, senderNamed } from '../../src/triggers/senders.ts'
import { SCHEME_NAMES } from '../../src/triggers/verify/schemes.ts'
import { readWorkflowFile } from '../../src/workflow/workflow.ts'
import { secretsOf } from '../docs/events.ts'
import { bound } from '../support/receive.ts'

const root = new URL('../../', import.meta.url)
const pages = readdirSync(new URL('docs/senders/', root)).filter((name) => name.endsWith('.md'))
const guide = read('docs/senders/README.md')
const verify = read('docs/reference/verify.md')

const PARTS = ['Set up', 'Workflow', 'Signature', 'Retries and duplicates']

/** Parts that only some pages have. */
const MORE_PARTS = ['After the first event', 'Notes']

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

/** The blocks of a language in order. */
function blocks(text: string, language: string): string[] {
  const found = text.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'gm'))
  return [...found].map(([, block = '']) => block)
}

/** The first column of the table below a heading. */
function firstColumn(text: string, heading: string): string[] {
  const [, table = ''] =
    new RegExp(`^\\| ${heading} \\|.*\\n\\| ---.*\\n((?:\\|.*\\n)+)`, 'm').exec(text) ?? []
  const cells = table.split('\n').map((row) => row.split('|')[1] ?? '')
  return cells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name))
}

/** Pages about a sender. */
const about = pages.filter((name) => name !== 'README.md')

describe.each(about)('%s', (page) => {
  const text = read(`docs/senders/${page}`)
  const native = blocks(text, 'yaml').find((block) => block.startsWith('# .github/')) ?? ''
  const name = page.replace(/\.md$/, '')

  test('has a part for each thing that one asks', () => {
    const parts = [...text.matchAll(/^## (.*)$/gm)].map(([, title]) => title)
    expect(parts.filter((part) => !MORE_PARTS.includes(part ?? ''))).toEqual(PARTS)
    expect(guide).toContain(`(${page})`)
  })

  test('shows a native workflow of one trigger, whose job waits for its path', () => {
    expect(native).toMatch(new RegExp(`^# \\.github/workflows/${name}\\.yml\n`))
    const { react } = parse(native).jobs
    const [trigger, ...others] = Object.keys(parse(react.steps[0].with.on))
    expect(others).toEqual([])
    expect(react.if).toBe(`startsWith(github.event.client_payload.path, '${name}/${trigger}')`)
  })
})

const made = about.filter((page) => senderNamed(page.replace(/\.md$/, '')))

test.each(made)('%s shows what init writes, and what the compiler takes', (page) => {
  const text = read(`docs/senders/${page}`)
  const [native, compiled = ''] = ['# .github/workflows/', '# workflows/'].map((start) =>
    blocks(text, 'yaml').find((block) => block.startsWith(start)),
  )
  const name = page.replace(/\.md$/, '')
  const sender = senderNamed(name)
  const answers = { name, sender }
  const [file] = KINDS.get('webhook')?.files(answers) ?? []
  expect(native).toBe(`# ${file?.path}\n${file?.text}`)
  const source = { name, file: name, text: compiled }
  const { triggers } = readWorkflowFile(name, source, {
    contexts: { secrets: secretsOf(text) },
    triggers: TRIGGERS,
  })
  expect(triggers.map((trigger) => trigger.name)).toEqual([sender?.trigger ?? 'webhook'])
})

/** The sections of README.md by their anchors. */
const sections = new Map(
  guide
    .slice(guide.indexOf('<!-- sections:start -->'), guide.indexOf('<!-- sections:end -->'))
    .split(/(?<!<\/a>)\n\n(?=<a id=|### )/)
    .flatMap((text) => {
      const [, title] = /^### (.*)$/m.exec(text) ?? []
      const [, id] = /<a id="([^"]+)">/.exec(text) ?? []
      return title === undefined
        ? []
        : [[id ?? title.toLowerCase().replaceAll('.', '').replaceAll(' ', '-'), text]]
    }),
)

describe('README.md', () => {
  test('has no empty code', () => {
    for (const page of pages) expect(read(`docs/senders/${page}`)).not.toMatch(/[: ]``(?!`)/)
  })

  test('has a row and a section for every sender, by its name', () => {
    const rows = [...guide.matchAll(/^\| \[[^\]]+\]\(#([\w-]+)\), `([\w-]+)` \|/gm)]
    const names = SENDERS.map(({ name }) => name)
    expect(rows.map(([, anchor]) => anchor)).toEqual(names)
    expect(rows.map(([, , name]) => name)).toEqual(names)
    expect([...sections.keys()]).toEqual(names)
    expect(guide).toContain(`${SENDERS.length} senders are known by name`)
  })

  test.each(SENDERS)('the section of $title says what a reader needs', (sender) => {
    const { name, title, secret, repeat } = sender
    const text = sections.get(name) ?? ''
    const product = title.replace(/ \(.*\)$/, '')
    expect(text).toContain(
      `\`hookline init --sender ${name}\` writes a GitHub Actions workflow for ${product} webhooks.`,
    )
    expect(text).toMatch(/^- Signature: /m)
    expect(text).toContain(`- Key: ${repeat === undefined ? 'the hash' : `\`${repeat}\``}`)
    if (secret !== undefined) expect(text).toContain(`- Secret: \`${secret}\`, `)
    const { text: retries, when } = senderText(name).retries
    expect(text).toContain(retries || (when === 'no' ? 'does not retry' : 'documents no retries'))
    expect(text.includes(`(${name}.md)`)).toBe(pages.includes(`${name}.md`))
  })

  test('links every page', () => {
    const linked = [...guide.matchAll(/\]\(([\w-]+\.md)\)/g)].map(([, page]) => page)
    expect([...new Set(linked), 'README.md'].sort()).toEqual([...pages].sort())
  })

  test('the reference of verify names every scheme', () => {
    const named = [
      ...firstColumn(verify, 'scheme'),
      ...[...verify.matchAll(/^\| \[`([\w-]+)`\]/gm)].map(([, name = '']) => name),
    ]
    expect([...new Set(named)].sort()).toEqual([...SCHEME_NAMES].sort())
  })

  test('names every option', () => {
    const options = firstColumn(verify, 'option')
    const result = TRIGGERS.get('webhook')?.bind({
      verify: { scheme: 'github', secret: 'x', no: 1 },
    })
    const message = result && 'issues' in result ? result.issues[0]?.message : ''
    expect(message).toBe(`options: ${options.join(', ')}`)
  })
})

test.each(SERVICES)('the page or section of %s names every field', (trigger, page) => {
  const text = pages.includes(`${page}.md`)
    ? read(`docs/senders/${page}.md`)
    : (sections.get(page) ?? '')
  const missing = Object.keys(TRIGGERS.get(trigger)?.outputs ?? {}).filter(
    (field) => !text.includes(`\`${field}\``) && !text.includes(`.${field}`),
  )
  expect(missing).toEqual([])
  expect(text).toContain(`\`${bound(trigger, {}).keys.own?.text}\``)
})
