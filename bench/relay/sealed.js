import { randomUUID } from 'node:crypto'

const ROUNDS = 2000

/** Prints what a request costs more when its token is sealed. */
export async function sealedTokenCost() {
  const { newSealKey, openSealed, sealToken } = await import('../../build/relay/seal.js')
  const key = await newSealKey()
  const sealed = await sealToken({ token: randomUUID(), repository: 'o/r' }, key.publicJwk)
  for (let n = 0; n < ROUNDS; n++) await openSealed(sealed, [key])
  const before = process.cpuUsage()
  for (let n = 0; n < ROUNDS; n++) await openSealed(sealed, [key])
  const { user, system } = process.cpuUsage(before)
  const cost = (user + system) / ROUNDS / 1000
  console.log(`opening a sealed token: ${cost.toFixed(3)} ms of CPU, ${sealed.length} characters`)
}
