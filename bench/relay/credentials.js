import { compareSpeed } from './compare.js'
import { compiled } from './compiled.js'
import { REPOSITORY, requestWith, TOKEN } from './load.js'
import { start } from './subjects.js'

/**
 * The cost of a request with a sealed token or a grant, compared with a plain token.
 *
 * @param {Record<string, string>} env
 * @param {number} rounds
 */
export async function credentialCosts(env, rounds) {
  /** @type {import('../../src/relay/credentials/sealing-key.ts')} */
  const { generateSealingKey, sealToken } = await compiled('relay/credentials/sealing-key.js')
  /** @type {import('../../src/relay/credentials/grant.ts')} */
  const { generateSigningKey, signGrant } = await compiled('relay/credentials/grant.js')
  const seal = await generateSealingKey()
  const sign = await generateSigningKey()
  const sealed = await sealToken({ token: TOKEN, repository: REPOSITORY }, seal.publicJwk)
  const grant = await signGrant({ id: 'bench', repository: REPOSITORY }, sign)
  const rows = []
  for (const [name, own, token] of /** @type {const} */ ([
    ['sealed token', { HOOKLINE_SEALING_KEYS: seal.text }, sealed],
    [
      'grant',
      { HOOKLINE_GITHUB_TOKEN: TOKEN, HOOKLINE_SIGNING_KEYS: JSON.stringify(sign.jwk) },
      grant,
    ],
  ])) {
    const plain = await start('node', env)
    const relay = await start('node', { ...env, ...own })
    const subject = { ...relay, request: requestWith(token) }
    rows.push(...(await compareSpeed(['plain token', plain], [name, subject], rounds, 0.9)))
    await plain.stop()
    await relay.stop()
  }
  return rows
}
