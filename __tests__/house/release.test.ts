import { readFileSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import { parse } from 'yaml'
import { releaseNotes, releaseTags } from '../../scripts/release-notes.js'

interface Job {
  readonly needs?: string | readonly string[]
  readonly permissions?: Readonly<Record<string, string>>
  readonly steps: readonly { readonly uses?: string; readonly run?: string }[]
}

const root = new URL('../../', import.meta.url)
const text = readFileSync(new URL('.github/workflows/release.yml', root), 'utf8')
const workflow = parse(text) as { readonly permissions: object; readonly jobs: Record<string, Job> }
const jobs = Object.entries(workflow.jobs)

/** The scripts of all jobs, from the first job to the last. */
function scripts(): string[] {
  return jobs.flatMap(([, { steps }]) => steps.flatMap(({ run }) => run ?? []))
}

function place(pattern: RegExp): number {
  return scripts().findIndex((script) => pattern.test(script))
}

describe('the release workflow', () => {
  test('checks, tags, publishes with provenance, announces, and moves the major tag last', () => {
    const found = [
      /npm test/,
      /ref=refs\/tags\/\$TAG/,
      /npm publish .*--provenance/,
      /gh release create/,
      /refs\/tags\/\$MOVING/,
    ].map(place)
    expect(found).not.toContain(-1)
    expect(found).toEqual([...found].sort((one, other) => one - other))
    expect(jobs.map(([name, { needs }]) => [name, needs])).toEqual([
      ['check', undefined],
      ['tag', 'check'],
      ['publish', ['check', 'tag']],
      ['announce', ['check', 'publish']],
    ])
  })

  test('gives each job only what it needs', () => {
    expect(workflow.permissions).toEqual({})
    expect(jobs.map(([, { permissions }]) => permissions)).toEqual([
      { contents: 'read' },
      { contents: 'write' },
      { contents: 'read', 'id-token': 'write' },
      { contents: 'write' },
    ])
  })

  test('runs foreign actions by their full commit, and holds no secret', () => {
    const uses = jobs.flatMap(([, { steps }]) => steps.flatMap((step) => step.uses ?? []))
    expect(uses.length).toBeGreaterThan(3)
    expect(uses.filter((action) => !/@[0-9a-f]{40}$/.test(action))).toEqual([])
    expect(text).not.toContain('secrets.')
  })

  test('puts no expression into a script', () => {
    expect(scripts().filter((script) => script.includes('${' + '{'))).toEqual([])
  })
})

const CHANGELOG = `# Changelog

## [Unreleased]

## [1.2.0] - 2026-11-21

### Added

- A thing.

## [1.1.0] - 2026-10-01

- Another.

[1.2.0]: https://example.com
`

describe('the notes of a release', () => {
  test('are the section of its version', () => {
    expect(releaseNotes(CHANGELOG, '1.2.0')).toBe('### Added\n\n- A thing.')
  })

  test.each(['1.2', '1.2.1', '1.1.01'])('are not there for %s', (version) => {
    expect(() => releaseNotes(CHANGELOG, version)).toThrow(`no section [${version}]`)
  })

  test('are not empty', () => {
    expect(() => releaseNotes(CHANGELOG, 'Unreleased')).toThrow('no section')
  })
})

test('a version has its own tag and that of its major version', () => {
  expect(releaseTags('1.2.3')).toEqual({ tag: 'v1.2.3', moving: 'v1' })
  for (const version of ['1.2', 'v1.2.3', '1.2.3-beta', '']) {
    expect(() => releaseTags(version)).toThrow('no version')
  }
})

test('npm can prove where the package comes from: it names its repository', () => {
  const manifest = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'))
  expect(manifest.repository).toEqual({
    type: 'git',
    url: 'git+https://github.com/hookline/hookline.git',
  })
})
