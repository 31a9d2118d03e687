import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from '@jest/globals'
import { pageOf } from '../../src/check/check.ts'
import { RULES } from '../../src/check/rules.ts'
import { sectionAddress } from '../../src/triggers/sender.ts'
import { SENDERS } from '../../src/triggers/senders.ts'
import { SCHEME_NAMES, schemeNamed } from '../../src/triggers/verify/schemes.ts'
import { PAGES, prose } from './pages.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const NAMES = [...PAGES.map(({ name }) => name), 'CHANGELOG.md']

/** Targets of links and pictures in the repository, by page: path from its root, and anchor. */
function links(name: string, text: string): { path: string; anchor: string }[] {
  return [...text.replaceAll(/`[^`\n]+`/g, '').matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = '']) => target)
    .filter((target) => !/^https?:/.test(target))
    .map((target) => {
      const [path = '', anchor = ''] = target.split('#')
      return { path: path === '' ? name : normalize(join(dirname(name), path)), anchor }
    })
}

function textOf(name: string): string {
  const page = PAGES.find((one) => one.name === name)
  return page ? prose(page) : readFileSync(join(ROOT, name), 'utf8')
}

/** Ids in the page, and of headings as GitHub creates them: lower case, no punctuation, hyphens for spaces. */
function anchors(text: string): string[] {
  const seen = new Map<string, number>()
  const named = [...text.matchAll(/<a id="([^"]+)">/g)].map(([, id = '']) => id)
  const headings = [...text.matchAll(/^#{1,6} (.*)$/gm)].map(([, title = '']) => {
    const words = title.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase()
    const id = words.replaceAll(/[^\p{L}\p{N}\p{M}_ -]/gu, '').replaceAll(' ', '-')
    const times = seen.get(id) ?? 0
    seen.set(id, times + 1)
    return times > 0 ? `${id}-${times}` : id
  })
  return [...named, ...headings]
}

function broken(name: string, text: string): string[] {
  return links(name, text)
    .filter(({ path, anchor }) => {
      if (!existsSync(join(ROOT, path))) return true
      return anchor !== '' && !anchors(textOf(path)).includes(anchor)
    })
    .map(({ path, anchor }) => `${path}#${anchor}`)
}

test.each(NAMES)('%s: every link has a target', (name) => {
  expect(broken(name, textOf(name))).toEqual([])
})

test('a link to a file or heading that does not exist is broken', () => {
  const text = '[a](docs/nowhere.md) [a](docs/reference/config.md#nowhere) ![a](docs/images/no.png)'
  const missing = ['docs/nowhere.md#', 'docs/reference/config.md#nowhere', 'docs/images/no.png#']
  expect(broken('README.md', text)).toEqual(missing)
})

test('headings get the anchors that GitHub gives them', () => {
  expect(anchors('# When is an item the same?\n## `every` and the schedule\n## A\n## A\n')).toEqual(
    ['when-is-an-item-the-same', 'every-and-the-schedule', 'a', 'a-1'],
  )
})

test('every page is reached from README.md in two clicks', () => {
  const from = (name: string) =>
    NAMES.includes(name) ? links(name, textOf(name)).map(({ path }) => path) : []
  const first = from('README.md')
  const reached = new Set(['README.md', ...first, ...first.flatMap(from)])
  expect(NAMES.filter((name) => !reached.has(name))).toEqual([])
})

test('an address of a page in a message leads to the page, and to its heading', () => {
  const address =
    /https:\/\/github\.com\/hookline\/hookline(?:\/blob\/v1\/([\w./-]+\.md))?#?([\w-]*)/g
  const files = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
  const found = files
    .filter((file) => file.endsWith('.ts'))
    .flatMap((file) => [...readFileSync(join(ROOT, 'src', file), 'utf8').matchAll(address)])
    .filter(([, page, anchor]) => page !== undefined || anchor !== '')
    .map(([, page = 'README.md', anchor = '']) => ({ page, anchor }))
  expect(found.length).toBeGreaterThan(2)
  const wrong = found.filter(({ page, anchor }) => {
    if (!existsSync(join(ROOT, page))) return true
    return anchor !== '' && !anchors(textOf(page)).includes(anchor)
  })
  expect(wrong).toEqual([])
})

test('an address that a message builds from the name of a sender or scheme has its heading', () => {
  const senders = SENDERS.map(({ name }) => name)
  const schemes = SCHEME_NAMES.filter((name) => schemeNamed(name)?.page !== undefined)
  const addresses = [...senders, ...schemes].map(sectionAddress)
  const pages = [...addresses, ...RULES.map(({ id }) => pageOf(id))]
  expect(pages.length).toBeGreaterThan(150)
  const wrong = pages.filter((address) => {
    const [, page = '', anchor = ''] = /\/blob\/v1\/([^#]+)#(.+)$/.exec(address) ?? []
    return !anchors(textOf(page)).includes(anchor)
  })
  expect(wrong).toEqual([])
})

const DOCS = NAMES.filter((name) => name.startsWith('docs/'))

test.each(DOCS)('%s begins with its purpose, and says what to read next', (name) => {
  expect(purposeOf(name)).toMatch(/^\S.{20,}[.:]$/)
  const last = textOf(name).trimEnd().split('\n').at(-1) ?? ''
  expect(last).toMatch(/^Next: .*\]\(/)
})

test('no two pages begin with the same sentence', () => {
  const purposes = DOCS.map(purposeOf)
  expect(purposes.filter((purpose, at) => purposes.indexOf(purpose) !== at)).toEqual([])
})

/** The first paragraph of a page. */
function purposeOf(name: string): string {
  const [, purpose = ''] = /^# .+\n\n(.+)$/m.exec(textOf(name)) ?? []
  return purpose
}

test('a link to another site is https', () => {
  const plain = PAGES.flatMap((page) =>
    [...prose(page).matchAll(/\]\((http:[^)]*)\)/g)].map(([, url]) => `${page.name} ${url}`),
  )
  expect(plain).toEqual([])
})
