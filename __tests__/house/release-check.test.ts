import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { fileProblems, images, serviceProblems } from '../../scripts/release-check.js'

const MANIFEST = { name: 'hookline', version: '0.1.0', keywords: ['webhook'] }
const DIGEST = `sha256:${'a'.repeat(64)}`
const FILES = {
  manifest: JSON.stringify(MANIFEST),
  changelog: '# Changelog\n\n## [0.1.0] - 2026-11-25\n\n- First.\n',
  version: "export const VERSION = '0.1.0'\n",
  action: 'name: Hookline\ndescription: Webhooks\nbranding: {icon: link, color: purple}\n',
  deploy: { 'deploy/Dockerfile': `FROM node:24-slim@${DIGEST}\n` },
  pages: { 'README.md': 'Run `npm install --global hookline`.' },
}

describe('the files of a release', () => {
  test('have no problem when they agree', () => expect(fileProblems(FILES)).toEqual([]))

  test.each([
    [
      'a changelog without a date',
      { changelog: '# Changelog\n\n## [0.1.0] - unreleased\n\n- First.\n' },
      /write the date/,
    ],
    ['a changelog without the version', { changelog: '# Changelog\n' }, /section \[0\.1\.0\]/],
    ['another version in the code', { version: "'0.0.9'" }, /version\.ts/],
    ['no keywords', { manifest: JSON.stringify({ ...MANIFEST, keywords: [] }) }, /keywords/],
    ['no branding', { action: 'name: Hookline\ndescription: x\n' }, /branding/],
    ['an image without a digest', { deploy: { a: 'FROM node:24-slim\n' } }, /node:24-slim/],
    ['an old sentence', { pages: { 'a.md': 'It is not on npm yet: clone.' } }, /^a\.md says/],
  ])('with %s have one problem', (_, changed, words) => {
    expect(fileProblems({ ...FILES, ...changed })).toEqual([expect.stringMatching(words)])
  })
})

test('images are found in a Dockerfile and in a compose file', () => {
  const deploy = { Dockerfile: 'FROM a:1\nRUN b\n', compose: 'services:\n  c:\n    image: d:2\n' }
  expect(images(deploy)).toEqual([
    { path: 'Dockerfile', image: 'a:1' },
    { path: 'compose', image: 'd:2' },
  ])
})

/** The answer of npm for our package. */
const OURS = {
  repository: { url: 'git+https://github.com/octo/hookline.git' },
  'dist-tags': { latest: '0.0.9' },
}

describe('the services', () => {
  /** Status and body by path; any other path is 404. */
  const READY: Readonly<Record<string, readonly [status: number, body?: object]>> = {
    '/npm/hookline': [200, { ...OURS, versions: { '0.0.9': { dist: { attestations: {} } } } }],
    '/github/repos/octo/hookline': [200, { private: false, has_discussions: true }],
    '/github/repos/octo/hookline/environments/release': [
      200,
      { protection_rules: [{ type: 'required_reviewers' }] },
    ],
    '/github/repos/octo/hookline/releases/latest': [200, {}],
    '/github/repos/octo/hookline/rulesets?targets=tag': [200, [{ name: 'tags' }]],
    '/github/repos/octo/hookline/private-vulnerability-reporting': [200, { enabled: true }],
    '/web/marketplace/actions/hookline': [200],
    '/token?x&scope=repository:library/node:pull': [200, { token: 't' }],
    '/images/v2/library/node/manifests/24-slim': [200],
  }
  let answers = READY
  let server: Server
  let url: string
  beforeAll(async () => {
    server = createServer((request, response) => {
      const [status, body] = answers[request.url ?? ''] ?? [404]
      response.writeHead(status, { 'docker-content-digest': DIGEST })
      response.end(JSON.stringify(body ?? {}))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}` // a listening TCP server
  })
  afterAll(() => {
    server.close()
  })

  const problems = (deploy: Readonly<Record<string, string>> = FILES.deploy) =>
    serviceProblems('octo/hookline', {
      manifest: FILES.manifest,
      deploy,
      services: {
        npm: `${url}/npm`,
        github: `${url}/github`,
        web: `${url}/web`,
        imageTokens: `${url}/token?x`,
        images: `${url}/images`,
      },
    })

  test('have no problem when all is set up', async () => {
    answers = READY
    expect(await problems()).toEqual({ missing: [], confirm: [] })
  })

  test.each([
    ['/npm/hookline', [404], /npm has no package/],
    ['/github/repos/octo/hookline', [404], /no repository/],
    ['/github/repos/octo/hookline', [200, { private: false }], /discussions/],
    ['/npm/hookline', [200, { 'dist-tags': { latest: '0.0.0-stage' } }], /npm stage approve/],
    ['/github/repos/octo/hookline/environments/release', [404], /no environment/],
    ['/github/repos/octo/hookline/environments/release', [200, {}], /no reviewers/],
    ['/github/repos/octo/hookline/releases/latest', [404], /another action hookline/],
    ['/github/repos/octo/hookline/rulesets?targets=tag', [200, []], /tags v\*/],
    ['/github/repos/octo/hookline/private-vulnerability-reporting', [200, {}], /vulnerability/],
    ['/github/repos/octo/hookline/git/ref/tags/v0.1.0', [200, {}], /v0\.1\.0 exists/],
    ['/web/marketplace/actions/hookline', [404], /Marketplace/],
    ['/images/v2/library/node/manifests/24-slim', [404], /no image node:24-slim/],
  ] as const)('%s with %j is a problem', async (path, answer, words) => {
    answers = { ...READY, [path]: answer }
    expect((await problems()).missing).toEqual([expect.stringMatching(words)])
  })

  test('cannot show the trusted publisher nor the Marketplace before the first release', async () => {
    answers = {
      ...READY,
      '/npm/hookline': [200, { ...OURS, versions: { '0.0.9': { dist: {} } } }],
      '/github/repos/octo/hookline/releases/latest': [404],
      '/web/marketplace/actions/hookline': [404],
    }
    expect(await problems()).toEqual({
      missing: [],
      confirm: [
        expect.stringContaining('npm trust list hookline'),
        expect.stringContaining('Publish this Action'),
      ],
    })
  })

  test('resolve the digest that a Dockerfile lacks', async () => {
    answers = READY
    expect((await problems({ Dockerfile: 'FROM node:24-slim\n' })).missing).toEqual([
      `Dockerfile: write node:24-slim@${DIGEST}`,
    ])
  })
})
