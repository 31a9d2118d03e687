import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findNode24 } from '../../scripts/node24.js'
import { compare } from './compare.js'
import { start } from './subjects.js'

/**
 * The cost of a database on a Node with SQLite, compared with a stateless relay: while GitHub
 * accepts every event, and while GitHub is down, so that events are queued directly.
 *
 * @param {Record<string, string>} env
 * @param {number} rounds
 * @returns {Promise<import('../report.js').Row[]>} none if no Node has SQLite
 */
export async function outboxCosts(env, rounds) {
  const node = findNode24()
  if (!node) return []
  const folder = await mkdtemp(join(tmpdir(), 'bench-outbox-'))
  const down = await start('upstream', { DOWN: '1' })
  const own = {
    HOOKLINE_TEST_MAX_EVENTS: '9999999',
    HOOKLINE_MAX_STORAGE_MB: '999999',
    DATA_FOLDER: folder,
  }
  const without = await start('node', env, node)
  const healthy = await start('node', { ...env, ...own }, node)
  const rows = await compare(['without', without], ['with a database', healthy], rounds, 0.97)
  await healthy.stop()
  const waiting = await start('node', { ...own, HOOKLINE_API_URL: down.url }, node)
  const into = await compare(
    ['dispatched', without],
    ['into a waiting queue', waiting],
    rounds,
    // Each stored event is encrypted and written to disk; it happens only while GitHub fails.
    0.1,
  )
  await waiting.stop()
  await without.stop()
  await down.stop()
  await rm(folder, { recursive: true })
  return [...rows, ...into]
}
