import { randomUUID } from 'node:crypto'
import { compiled } from './compiled.js'

const ROUNDS = 2000

/**
 * What a request costs more when its token is sealed.
 *
 * @returns {Promise<import('../report.js').Row>}
 */
export async function sealedTokenCost() {
  /** @type {import('../../src/relay/seal.ts')} */
  const { newSealKey, openSealed, sealToken } = await compiled('relay/seal.js')
  const key = await newSealKey()
  const sealed = await sealToken({ token: randomUUID(), repository: 'o/r' }, key.publicJwk)
  for (let n = 0; n < ROUNDS; n++) await openSealed(sealed, [key])
  const before = process.cpuUsage()
  for (let n = 0; n < ROUNDS; n++) await openSealed(sealed, [key])
  const { user, system } = process.cpuUsage(before)
  const measured = (user + system) / ROUNDS
  const detail = `${sealed.length} characters`
  return { what: 'relay, opening a sealed token, own CPU', measured, unit: 'µs', detail }
}
