// Makes __tests__/fixtures/github-openapi.json from GitHub's own description of its API:
//     npm pack @octokit/openapi && tar xzf octokit-openapi-*.tgz
//     node scripts/trim-openapi.js package/generated/api.github.com.json
// It keeps the operations that this project calls, and the parts that a request can be checked
// against.
import { readFile, writeFile } from 'node:fs/promises'

const PATHS = [
  '/repos/{owner}/{repo}',
  '/repos/{owner}/{repo}/dispatches',
  '/repos/{owner}/{repo}/actions/workflows/{workflow_id}/dispatches',
  '/repos/{owner}/{repo}/actions/workflows/{workflow_id}',
  '/repos/{owner}/{repo}/actions/runs',
  '/repos/{owner}/{repo}/actions/runs/{run_id}',
  '/repos/{owner}/{repo}/installation',
  '/repos/{owner}/{repo}/hooks',
  '/repos/{owner}/{repo}/hooks/{hook_id}/deliveries',
  '/repos/{owner}/{repo}/hooks/{hook_id}/deliveries/{delivery_id}/attempts',
  '/orgs/{org}/hooks/{hook_id}/deliveries',
  '/orgs/{org}/hooks/{hook_id}/deliveries/{delivery_id}/attempts',
  '/app',
  '/app/hook/deliveries',
  '/app/hook/deliveries/{delivery_id}/attempts',
  '/app/installations/{installation_id}/access_tokens',
  '/app-manifests/{code}/conversions',
  '/repos/{owner}/{repo}/contents/{path}',
  '/repos/{owner}/{repo}/git/refs',
  '/repos/{owner}/{repo}/git/ref/{ref}',
  '/repos/{owner}/{repo}/git/refs/{ref}',
  '/repos/{owner}/{repo}/git/blobs',
  '/repos/{owner}/{repo}/git/trees',
  '/repos/{owner}/{repo}/git/commits',
]
const FIXTURE = new URL('../__tests__/fixtures/github-openapi.json', import.meta.url)

const [, , file] = process.argv
if (!file) throw new Error('usage: node scripts/trim-openapi.js <api.github.com.json>')
const description = JSON.parse(await readFile(file, 'utf8'))

/**
 * A part of the description with its references resolved, without extensions and examples.
 *
 * @param {any} value
 * @returns {any}
 */
function resolved(value) {
  if (Array.isArray(value)) return value.map(resolved)
  if (typeof value !== 'object' || value === null) return value
  if (value.$ref) return resolved(lookUp(value.$ref))
  const entries = Object.entries(value).filter(([key]) => !/^(x-|examples?$)/.test(key))
  return Object.fromEntries(entries.map(([key, part]) => [key, resolved(part)]))
}

/** @param {string} reference such as `#/components/schemas/repository` */
function lookUp(reference) {
  const steps = reference.slice('#/'.length).split('/')
  return steps.reduce(
    (part, step) => part[step.replaceAll('~1', '/').replaceAll('~0', '~')],
    description,
  )
}

/** @param {any} description of one operation */
function operation({ operationId, externalDocs, parameters, requestBody, responses }) {
  const statuses = Object.entries(responses).map(([status, response]) => {
    return [status, { description: resolved(response).description }]
  })
  return {
    operationId,
    externalDocs,
    parameters: resolved(parameters),
    ...(requestBody && { requestBody: resolved(requestBody) }),
    responses: Object.fromEntries(statuses),
  }
}

const paths = PATHS.map((path) => {
  const methods = Object.entries(description.paths[path])
  return [path, Object.fromEntries(methods.map(([method, it]) => [method, operation(it)]))]
})
const trimmed = {
  openapi: description.openapi,
  info: {
    title: description.info.title,
    license: description.info.license,
    version: description.info.version,
    'x-source': `@octokit/openapi ${description.info.version}, trimmed by scripts/trim-openapi.js`,
  },
  paths: Object.fromEntries(paths),
}
await writeFile(FIXTURE, `${JSON.stringify(trimmed, null, 2)}\n`)
