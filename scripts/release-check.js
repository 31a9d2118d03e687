// npm run release:check   lists what a release still needs, each with the step that adds it
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { parse } from 'yaml'
import { ownerProblem } from './npm-owner.js'
import { releaseNotes, releaseTags } from './release-notes.js'

const ROOT = new URL('../', import.meta.url)

/**
 * Addresses of the services, which tests replace.
 *
 * @typedef {object} Services
 * @property {string} npm
 * @property {string} github the REST API
 * @property {string} web the site of GitHub, for the Marketplace
 * @property {string} imageTokens tokens for anonymous pulls from Docker Hub
 * @property {string} images the registry of Docker Hub
 */

/** @type {Services} */
const SERVICES = {
  npm: 'https://registry.npmjs.org',
  github: 'https://api.github.com',
  web: 'https://github.com',
  imageTokens: 'https://auth.docker.io/token?service=registry.docker.io',
  images: 'https://registry-1.docker.io',
}

/**
 * Files of the repository that a release depends on.
 *
 * @typedef {object} Files
 * @property {string} manifest `package.json`
 * @property {string} changelog
 * @property {string} version `src/wire/version.ts`
 * @property {string} action `action.yml`
 * @property {Readonly<Record<string, string>>} deploy files that name images, by path
 * @property {Readonly<Record<string, string>>} pages documentation, by path
 */

/** Sentences that are true only before the first release. */
const BEFORE_THE_FIRST = /not on npm yet|no release on npm yet|not published yet/

/**
 * Checks files alone; no request is sent.
 *
 * @param {Files} files
 * @returns {string[]} a line for each problem
 */
export function fileProblems({ manifest, changelog, version, action, deploy, pages }) {
  const { version: released, keywords = [] } = JSON.parse(manifest)
  const problems = []
  try {
    releaseTags(released)
    releaseNotes(changelog, released)
  } catch (error) {
    problems.push(`${/** @type {Error} */ (error).message}: write it`)
  }
  if (changelog.includes(`## [${released}] - unreleased`))
    problems.push(`CHANGELOG.md says that ${released} is unreleased: write the date of the release`)
  if (!version.includes(`'${released}'`))
    problems.push(`src/wire/version.ts does not say ${released}: set the version there too`)
  if (keywords.length === 0) problems.push('package.json has no keywords: add some')
  const { name, description, branding } = parse(action)
  if (!name || !description || !branding)
    problems.push('action.yml needs name, description and branding for the Marketplace')
  if (String(description).length > 125)
    problems.push('action.yml: the Marketplace cuts a description after 125 characters')
  for (const { path, image } of images(deploy))
    if (!image.includes('@sha256:'))
      problems.push(
        `${path}: ${image} has no digest: with network access, this command prints the digest to write`,
      )
  for (const [path, text] of Object.entries(pages)) {
    const [sentence] = BEFORE_THE_FIRST.exec(text) ?? []
    if (sentence)
      problems.push(
        `${path} says "${sentence}": change the sentence, because this release publishes it`,
      )
  }
  return problems
}

/**
 * @param {Readonly<Record<string, string>>} deploy
 * @returns {{ path: string, image: string }[]}
 */
export function images(deploy) {
  return Object.entries(deploy).flatMap(([path, text]) =>
    [...text.matchAll(/^(?:FROM| +image:) (\S+)/gm)].map(([, image = '']) => ({ path, image })),
  )
}

/**
 * The answer of npm for a package.
 *
 * @typedef {object} Packument
 * @property {{ latest?: string }} [dist-tags]
 * @property {Readonly<Record<string, { dist?: { attestations?: object } }>>} [versions]
 */

/**
 * @typedef {object} Findings
 * @property {string[]} missing a line for each problem
 * @property {string[]} confirm a line for each condition that no service shows to this command
 */

/**
 * Asks npm, GitHub and Docker Hub.
 *
 * @param {string} repository `owner/name`
 * @param {{ manifest: string, deploy: Files['deploy'], services?: Services, token?: string | undefined }} options
 * @returns {Promise<Findings>}
 */
export async function serviceProblems(
  repository,
  { manifest, deploy, services = SERVICES, token },
) {
  const { name, version } = JSON.parse(manifest)
  const headers = {
    accept: 'application/vnd.github+json',
    ...(token && { authorization: `Bearer ${token}` }),
  }
  /** @param {string} path */
  const github = (path) => fetch(`${services.github}/repos/${repository}${path}`, { headers })
  /** @type {(string | undefined)[]} */
  const problems = []
  const confirm = []

  const onNpm = await fetch(`${services.npm}/${name}`)
  const found = onNpm.ok ? /** @type {Packument} */ (await onNpm.json()) : undefined
  problems.push(ownerProblem({ name, status: onNpm.status, found }, repository))
  // npm attests only what a trusted publisher has published.
  const latest = found?.versions?.[found['dist-tags']?.latest ?? '']
  if (onNpm.ok && !latest?.dist?.attestations)
    confirm.push(
      `npm trusts release.yml of ${repository} since less than 48 hours: npm trust list ${name}`,
    )

  const repo = await github('')
  if (repo.status !== 200) problems.push(`GitHub has no repository ${repository}: create it`)
  else {
    const { private: isPrivate, has_discussions: hasDiscussions } =
      /** @type {{ private: boolean, has_discussions?: boolean }} */ (await repo.json())
    if (isPrivate) problems.push(`${repository} is private: make it public`)
    if (!hasDiscussions)
      problems.push(
        'the form for issues links to discussions: enable them under Settings, Features',
      )
    const environment = await github('/environments/release')
    if (!environment.ok)
      problems.push('there is no environment "release": create it under Settings, Environments')
    else if (!(await hasReviewers(environment)))
      problems.push(
        'the environment "release" has no reviewers: add them under Settings, Environments',
      )
    const rules = await github('/rulesets?targets=tag')
    const list = /** @type {unknown[]} */ (rules.ok ? await rules.json() : [])
    if (list.length === 0)
      problems.push('no rule protects the tags v*.*.*: create one under Settings, Rules')
    const reporting = await github('/private-vulnerability-reporting')
    const { enabled } = /** @type {{ enabled?: boolean }} */ (
      reporting.ok ? await reporting.json() : {}
    )
    if (!enabled)
      problems.push('private vulnerability reports are off: enable them under Settings, Security')
  }
  if ((await github(`/git/ref/tags/v${version}`)).status === 200)
    problems.push(`the tag v${version} exists: set a new version`)
  const isListed = (await fetch(`${services.web}/marketplace/actions/${name}`)).ok
  const isFirst = !(await github('/releases/latest')).ok
  if (isFirst && isListed)
    problems.push(`the Marketplace lists another action ${name}: choose another name in action.yml`)
  else if (!isListed) {
    const cure = 'edit the newest release in the browser and tick "Publish this Action"'
    if (isFirst) confirm.push(`after the release, the Marketplace lists the action: ${cure}`)
    else problems.push(`the Marketplace does not list the action: ${cure}`)
  }

  for (const { path, image } of images(deploy)) {
    const [reference = '', pinned] = image.split('@')
    const digest = await imageDigest(reference, services)
    if (digest === undefined) problems.push(`${path}: Docker Hub has no image ${reference}`)
    else if (digest !== pinned) problems.push(`${path}: write ${reference}@${digest}`)
  }
  return { missing: problems.filter((problem) => problem !== undefined), confirm }
}

/** @param {Response} environment https://docs.github.com/rest/deployments/environments */
async function hasReviewers(environment) {
  const { protection_rules: rules = [] } =
    /** @type {{ protection_rules?: { type: string }[] }} */ (await environment.json())
  return rules.some(({ type }) => type === 'required_reviewers')
}

/**
 * The digest of an image for all platforms, from https://distribution.github.io/distribution/spec/api/.
 *
 * @param {string} reference `node:24-slim`
 * @param {Services} services
 */
async function imageDigest(reference, services) {
  const [name = '', tag = 'latest'] = reference.split(':')
  const path = name.includes('/') ? name : `library/${name}`
  const pass = await fetch(`${services.imageTokens}&scope=repository:${path}:pull`)
  if (!pass.ok) return undefined
  const { token } = /** @type {{ token: string }} */ (await pass.json())
  const answer = await fetch(`${services.images}/v2/${path}/manifests/${tag}`, {
    method: 'HEAD',
    headers: {
      authorization: `Bearer ${token}`,
      accept:
        'application/vnd.oci.image.index.v1+json, application/vnd.docker.distribution.manifest.list.v2+json',
    },
  })
  return answer.ok ? (answer.headers.get('docker-content-digest') ?? undefined) : undefined
}

/** @param {string} name */
function read(name) {
  return readFileSync(new URL(name, ROOT), 'utf8')
}

function pages() {
  const names = readdirSync(new URL('docs', ROOT), { recursive: true, encoding: 'utf8' })
  return [
    'README.md',
    ...names.filter((name) => name.endsWith('.md')).map((name) => `docs/${name}`),
  ]
}

async function main() {
  const deploy = Object.fromEntries(
    ['deploy/Dockerfile', 'deploy/compose.yaml']
      .filter((name) => existsSync(new URL(name, ROOT)))
      .map((name) => [name, read(name)]),
  )
  const manifest = read('package.json')
  const problems = fileProblems({
    manifest,
    changelog: read('CHANGELOG.md'),
    version: read('src/wire/version.ts'),
    action: read('action.yml'),
    deploy,
    pages: Object.fromEntries(pages().map((path) => [path, read(path)])),
  })
  /** @type {string[]} */
  const confirm = []
  const repository = /github\.com\/(.+)\.git$/.exec(JSON.parse(manifest).repository.url)?.[1] ?? ''
  try {
    const token = process.env.GH_TOKEN
    const found = await serviceProblems(repository, { manifest, deploy, token })
    problems.push(...found.missing)
    confirm.push(...found.confirm)
  } catch (error) {
    const { cause, message } = /** @type {Error} */ (error)
    problems.push(`names, settings and images were not checked: ${cause ?? message}`)
  }
  for (const problem of problems) console.log(`missing: ${problem}`)
  for (const condition of confirm) console.log(`confirm: ${condition}`)
  console.log(problems.length === 0 ? 'ready for a release' : `${problems.length} missing`)
  if (problems.length > 0) process.exitCode = 1
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await main()
