import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from '@jest/globals'
import { readModules } from './imports.ts'
import { manifestOf, packagesBehind, withDependencies } from './packages.ts'

/**
 * Which packages are in a bundle is found here by what they say, not by what the bundler lists: a
 * text in quotes that one installed package alone has is in the bundle only with that package.
 */

const root = fileURLToPath(new URL('../../', import.meta.url))

/** What stands between two quotes, and is long enough to be somebody's own words. */
const QUOTED = /(?<=['"`])[^'"`\\\n]{12,}(?=['"`])/g

/** Of what a package says, so much must stand in a bundle; by chance it is a twentieth at most. */
const SHARE = 1 / 8

const modules = new Map(readModules(`${root}src`).map((module) => [module.path, module]))
/** All that a bundle may hold, nested ones too: folders by name and version. */
const packages = new Map(
  withDependencies(root, packagesBehind([...modules.keys()], modules)).map((folder) => {
    const { name, version } = manifestOf(root + folder)
    return [`${name} ${version}`, folder]
  }),
)
const ownTexts = textsOfOne(packages)

/** The texts of each package that no other package has. */
function textsOfOne(folders: ReadonlyMap<string, string>): ReadonlyMap<string, readonly string[]> {
  const all = [...folders].map(([name, folder]) => [name, textsIn(scripts(root + folder))] as const)
  const counts = new Map<string, number>()
  for (const [, texts] of all) {
    for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1)
  }
  return new Map(
    all.map(([name, texts]) => [name, [...texts].filter((text) => counts.get(text) === 1)]),
  )
}

function textsIn(paths: readonly string[]): Set<string> {
  const texts = paths.map((path) => readFileSync(path, 'utf8'))
  return new Set(texts.flatMap((text) => text.match(QUOTED) ?? []))
}

/** Program files of a package, without the packages that lie within it. */
function scripts(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (entry.name === 'node_modules' || entry.name === 'package.json') return []
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return scripts(path)
    return /\.([cm]?js|json)$/.test(entry.name) ? [path] : []
  })
}

/** Names of the packages whose own words are among some texts. */
function saidBy(texts: ReadonlySet<string>): string[] {
  return [...ownTexts].flatMap(([name, own]) => {
    const said = own.filter((text) => texts.has(text)).length
    return said > 0 && said >= own.length * SHARE ? [name] : []
  })
}

/** What every licence text says in its own words, and a mere name of a licence does not. */
const GRANT =
  /Permission is hereby granted|Permission to use|Redistribution and use|TERMS AND|Blue Oak Model/
const LICENCE_FILE = /^(licen[cs]e|copying)/i

describe.each(['action', 'cli', 'relay'])('R46: the notices of dist/%s', (bundle) => {
  const notices = readFileSync(`${root}dist/${bundle}/licenses.txt`, 'utf8')
  const parts = notices.split(/\n-{72}\n\n/).slice(1)
  const noticeOf = (name: string) => parts.find((part) => part.startsWith(`${name} (`))
  const found = saidBy(textsIn(scripts(`${root}dist/${bundle}`)))

  test('name every package whose own words the bundle holds', () => {
    expect(found.length).toBeGreaterThanOrEqual(bundle === 'relay' ? 1 : 20)
    expect(found.filter((name) => noticeOf(name) === undefined)).toEqual([])
  })

  test('hold the licence file of each, to the word', () => {
    const words = (text: string) => text.replaceAll(/\s+/g, ' ').trim()
    const lacking = found.filter((name) => {
      const folder = `${root}${packages.get(name)}`
      const files = readdirSync(folder).filter((file) => LICENCE_FILE.test(file))
      const notice = words(noticeOf(name) ?? '')
      return !files.every((file) =>
        notice.includes(words(readFileSync(join(folder, file), 'utf8'))),
      )
    })
    expect(lacking).toEqual([])
  })

  test('hold a licence text, and no mere name of one, for everything that they name', () => {
    const bare = parts.filter((part) => !GRANT.test(part))
    expect(bare.map((part) => part.split('\n')[0])).toEqual([])
  })
})

test('the words of a package give it away', () => {
  const texts = [...ownTexts].find(([name]) => name.startsWith('croner '))?.[1] ?? []
  expect(saidBy(new Set())).toEqual([])
  expect(saidBy(new Set(texts))).toEqual([expect.stringMatching(/^croner /)])
})
