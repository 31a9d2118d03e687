import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findNode24 } from '../../scripts/node24.js'
import { compare, compareSpeed } from './compare.js'
import { compiled } from './compiled.js'
import { HOOK, REPOSITORY, requestTo } from './load.js'
import { start } from './subjects.js'

/** @typedef {import('./subjects.js').Subject} Subject */

const RELAY_KEY = Buffer.alloc(32, 7).toString('base64')

/**
 * The cost of a database on a Node with SQLite: for a token URL, for an endpoint, for an endpoint that starts its
 * workflow directly, and while GitHub is down, so that each event is stored.
 *
 * @param {Record<string, string>} env
 * @param {number} rounds
 * @returns {Promise<import('../report.js').Row[]>} none if no Node has SQLite
 */
export async function databaseCosts(env, rounds) {
  const node = findNode24()
  if (!node) return []
  const folder = await mkdtemp(join(tmpdir(), 'bench-database-'))
  const down = await start('upstream', { DOWN: '1' })
  const own = {
    HOOKLINE_MAX_STORAGE_MB: '999999',
    HOOKLINE_GITHUB_TOKEN: 'ghp_ownJ7dQx2LkV9sWmB4tYzR6nHcP0fUaE3oXg',
    HOOKLINE_ALLOW_TOKENS: 'true',
    HOOKLINE_RELAY_KEY: RELAY_KEY,
    DATA_FOLDER: folder,
  }
  const stateless = await start('node', env, node)
  const relay = await start('node', { ...env, ...own }, node)
  const endpoint = await endpointOf(relay, 'repository')
  const direct = await endpointOf(relay, 'workflow')
  const rows = [
    ...(await compare(['stateless', stateless], ['with a database', relay], rounds, 0.9)),
    ...(await compareSpeed(['token URL', relay], ['endpoint URL', endpoint], rounds, 0.9)),
    ...(await compareSpeed(['repository', endpoint], ['dispatch workflow', direct], rounds, 0.95)),
  ]
  await relay.stop()
  const waiting = await start('node', { ...own, HOOKLINE_API_URL: down.url }, node)
  const queued = { ...waiting, request: endpoint.request }
  // Each stored event is encrypted and written to disk before its response.
  rows.push(
    ...(await compareSpeed(
      ['dispatched', stateless],
      ['into a waiting queue', queued],
      rounds,
      0.5,
    )),
  )
  await waiting.stop()
  await stateless.stop()
  await down.stop()
  await rm(folder, { recursive: true })
  return rows
}

/**
 * The relay with requests to an endpoint that it creates.
 *
 * @param {Subject} relay
 * @param {'repository' | 'workflow'} dispatch
 * @returns {Promise<Required<Subject>>}
 */
async function endpointOf(relay, dispatch) {
  const [, workflow, trigger] = HOOK.split('/').slice(-3)
  const response = await fetch(`${relay.url}/-admin/endpoints`, {
    method: 'POST',
    headers: { authorization: `Bearer ${await adminBearerOf(RELAY_KEY)}` },
    body: JSON.stringify({ name: dispatch, repository: REPOSITORY, workflow, trigger, dispatch }),
  })
  if (!response.ok) throw new Error(await response.text())
  const { url } = /** @type {{ url: string }} */ (await response.json())
  return { ...relay, request: requestTo(new URL(url, relay.url).pathname) }
}

/** @param {string} keys */
async function adminBearerOf(keys) {
  /** @type {import('../../src/relay/store/relay-key.ts')} */
  const { adminBearer } = await compiled('relay/store/relay-key.js')
  /** @type {import('../../src/wire/secret.ts')} */
  const { Secret } = await compiled('wire/secret.js')
  return (await adminBearer(new Secret(keys), 'relay key')).reveal()
}
