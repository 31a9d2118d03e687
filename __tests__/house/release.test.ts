import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import { parse } from 'yaml'
import { releaseNotes, releaseTags } from '../../scripts/release-notes.js'

interface Job {
  readonly needs?: string | readonly string[]
  readonly permissions?: Readonly<Record<string, string>>
  readonly uses?: string
  readonly steps?: readonly Step[]
}

interface Step {
  readonly uses?: string
  readonly run?: string
  readonly with?: Readonly<Record<string, string>>
}

const root = new URL('../../', import.meta.url)
const text = workflowText('release.yml')
const workflow = parse(text) as { readonly permissions: object; readonly jobs: Record<string, Job> }
const jobs = Object.entries(workflow.jobs)

function workflowText(name: string): string {
  return readFileSync(new URL(`.github/workflows/${name}`, root), 'utf8')
}

/** The scripts of all jobs in order. */
function scripts(): string[] {
  return jobs.flatMap(([, { steps = [] }]) => steps.flatMap(({ run }) => run ?? []))
}

function place(pattern: RegExp): number {
  return scripts().findIndex((script) => pattern.test(script))
}

describe('the release workflow', () => {
  test('compares the tag to the checked commit in each job that checks it out, before any other script', () => {
    const ofTag = jobs.filter(([, { steps = [] }]) =>
      steps.some((step) => step.with?.ref?.includes('outputs.tag')),
    )
    expect(ofTag.map(([name]) => name)).toEqual(['publish', 'image'])
    for (const [, { steps = [] }] of ofTag) {
      const [first] = steps.flatMap(({ run }) => run ?? [])
      expect(first).toBe('test "$(git rev-parse HEAD)" = "$COMMIT"')
    }
  })

  test('checks, tags, publishes with provenance, announces, and moves the major tag last', () => {
    const found = [
      /\.ci\/run/,
      /ref=refs\/tags\/\$TAG/,
      /npm publish .*--provenance/,
      /docker push/,
      /imagetools create/,
      /gh release create/,
      /refs\/tags\/\$MOVING/,
    ].map(place)
    expect(found).not.toContain(-1)
    expect(found).toEqual([...found].sort((one, other) => one - other))
    expect(jobs.map(([name, { needs }]) => [name, needs])).toEqual([
      ['check', undefined],
      ['soak', undefined],
      ['self-test', undefined],
      ['tag', ['check', 'soak', 'self-test']],
      ['publish', ['check', 'tag']],
      ['image', ['check', 'tag']],
      ['image-index', ['check', 'image']],
      ['announce', ['check', 'publish', 'image-index']],
    ])
  })

  test('gives each job only what it needs', () => {
    expect(workflow.permissions).toEqual({})
    expect(jobs.map(([, { permissions }]) => permissions)).toEqual([
      { contents: 'read' },
      { contents: 'read' },
      { actions: 'write', contents: 'write' },
      { contents: 'write' },
      { contents: 'read', 'id-token': 'write', attestations: 'write' },
      { contents: 'read', packages: 'write' },
      { packages: 'write', 'id-token': 'write', attestations: 'write' },
      { contents: 'write', 'id-token': 'write', attestations: 'write' },
    ])
  })

  test('holds no secret', () => {
    expect(text).not.toContain('secrets.')
  })

  test('attests the bundles and the very tarball that it publishes', () => {
    const steps = workflow.jobs.publish?.steps ?? []
    const at = (pattern: RegExp) => steps.findIndex((step) => pattern.test(JSON.stringify(step)))
    const attest = steps[at(/attest-build-provenance/)]
    expect(attest?.with?.['subject-path']?.trim().split('\n')).toEqual([
      'dist/**',
      '${{ steps.pack.outputs.tarball }}',
    ])
    const order = [
      /npm pkg set .*gitHead=\$COMMIT/,
      /npm pack/,
      /attest-build-provenance/,
      /npm publish .*\$TARBALL/,
    ].map(at)
    expect(order).not.toContain(-1)
    expect(order).toEqual([...order].sort((one, other) => one - other))
  })

  test('soaks as every week does', () => {
    const soak = parse(workflowText('soak.yml'))
    expect(workflow.jobs.soak?.uses).toBe('./.github/workflows/soak.yml')
    expect(soak.on).toMatchObject({ schedule: [{ cron: expect.any(String) }], workflow_call: null })
    expect(JSON.stringify(soak.jobs)).toContain('npm run test:soak')
  })

  test('sends itself real webhooks, as every week', () => {
    const { on, jobs } = parse(workflowText('self-test.yml'))
    expect(workflow.jobs['self-test']?.uses).toBe('./.github/workflows/self-test.yml')
    expect(on).toMatchObject({ schedule: [{ cron: expect.any(String) }], workflow_call: null })
    expect(workflow.jobs['self-test']?.permissions).toEqual(jobs.send.permissions)
  })

  test('puts no expression into a script', () => {
    expect(scripts().filter((script) => script.includes('${' + '{'))).toEqual([])
  })
})

describe('workflows of the project', () => {
  /** Third-party actions without a full commit and a comment with their version. */
  const unpinned = (yaml: string) =>
    [...yaml.matchAll(/\buses: *(\S+)(.*)/g)]
      .filter(([, action = '']) => !action.startsWith('./'))
      .filter(([, action = '', rest = '']) => {
        return !/@[0-9a-f]{40}$/.test(action) || !/^ # v\d+\.\d+\.\d+$/.test(rest)
      })
      .map(([found]) => found)

  test.each(readdirSync(new URL('.github/workflows/', root)))('%s pins actions', (name) => {
    expect(unpinned(workflowText(name))).toEqual([])
  })

  test.each([
    'uses: actions/checkout@v5',
    'uses: actions/checkout@08c6903cd8c0fde910a37f88322edcfb5dd907a8',
    'uses: actions/checkout@08c6903 # v5.0.0',
  ])('do not with "%s"', (line) => {
    expect(unpinned(`steps:\n  - ${line}\n`)).toEqual([line])
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

test('a version has its own tag and that of its major version, and 0.x moves v1', () => {
  expect(releaseTags('0.1.0')).toEqual({ tag: 'v0.1.0', moving: 'v1' })
  expect(releaseTags('1.2.3')).toEqual({ tag: 'v1.2.3', moving: 'v1' })
  expect(releaseTags('2.0.0')).toEqual({ tag: 'v2.0.0', moving: 'v2' })
  for (const version of ['1.2', 'v1.2.3', '1.2.3-beta', '']) {
    expect(() => releaseTags(version)).toThrow('no version')
  }
})

test('npm can verify the provenance of the package, because it names its repository', () => {
  const manifest = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'))
  expect(manifest.repository).toEqual({
    type: 'git',
    url: 'git+https://github.com/hookline/hookline.git',
  })
})
