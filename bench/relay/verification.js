import { spawnSync } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { median } from '../processes.js'
import { compareSpeed } from './compare.js'
import { compiled } from './compiled.js'
import { client, REPOSITORY, requestWith, TOKEN } from './load.js'
import { start } from './subjects.js'
import { bundled } from './workerd.js'

/** @typedef {import('../report.js').Row} Row */

const SECRET = 'the-secret-of-the-sender-of-the-bench'
const BODY = JSON.stringify({ id: 1, action: 'opened', text: 'x'.repeat(2000) })

/**
 * The cost of relay-side verification: an event with a grant that requires a signature, compared
 * with a grant that requires none, whose cost must not change after the verification is loaded; and
 * the cost of loading it.
 *
 * @param {Record<string, string>} env
 * @param {number} rounds
 * @returns {Promise<Row[]>}
 */
export async function verificationCosts(env, rounds) {
  /** @type {import('../../src/relay/credentials/sealing-key.ts')} */
  const { generateSealingKey, sealGrant } = await compiled('relay/credentials/sealing-key.js')
  /** @type {import('../../src/relay/credentials/grant.ts')} */
  const { generateSigningKey, signGrant } = await compiled('relay/credentials/grant.js')
  const seal = await generateSealingKey()
  const sign = await generateSigningKey()
  const own = {
    ...env,
    HOOKLINE_GITHUB_TOKEN: TOKEN,
    HOOKLINE_SIGNING_KEYS: JSON.stringify(sign.jwk),
    HOOKLINE_SEALING_KEYS: seal.text,
  }
  const grant = (/** @type {object} */ claims) =>
    signGrant({ id: 'bench', repository: REPOSITORY, ...claims }, sign)
  const sealed = async (/** @type {object} */ claims) =>
    sealGrant(await grant(claims), seal.publicJwk)
  const verify = [{ scheme: ['github'], secret: [SECRET] }]
  const [plain, closed] = [await start('node', own), await start('node', own)]
  const named = await grant({})
  /** @type {Row[]} */
  const rows = []
  /** @type {(name: string, relay: import('./subjects.js').Subject, token: string, goal?: number) => Promise<void>} */
  const compareTo = async (name, relay, token, goal) => {
    const base = { ...closed, request: signed(named) }
    const subject = { ...relay, request: signed(token) }
    rows.push(...(await compareSpeed(['plain grant', base], [name, subject], rounds, goal)))
  }
  await compareTo('grant with `if`', plain, await grant({ if: "body.action == 'opened'" }))
  await compareTo('grant with `if` that is false', plain, await grant({ if: 'false' }))
  await compareTo('grant with `verify`', plain, await sealed({ verify }))
  // The same relay, which has loaded the verification by now.
  await compareTo('plain grant, verification loaded', plain, named, 0.95)
  const refused = client(plain.url, requestWith(await sealed({ verify })))
  if ((await refused()) !== 401) throw new Error('the relay accepts an unsigned request')
  refused.close()
  await plain.stop()
  await closed.stop()
  return [...rows, ...(await loadCosts(rounds))]
}

/**
 * A request signed like GitHub's.
 *
 * @param {string} token
 */
function signed(token) {
  const mac = createHmac('sha256', SECRET).update(BODY).digest('hex')
  const request = requestWith(token, { type: 'application/json', body: BODY }).toString()
  return Buffer.from(request.replace(/sha256=[0-9a-f]{64}/, `sha256=${mac}`))
}

/**
 * @param {number} rounds
 * @returns {Promise<Row[]>}
 */
async function loadCosts(rounds) {
  const file = await bundled('request/verification')
  const script = fileURLToPath(new URL('./verification-load.js', import.meta.url))
  const figures = Array.from({ length: rounds }, () => {
    const { stdout, stderr } = spawnSync(process.execPath, ['--expose-gc', script, file], {
      encoding: 'utf8',
    })
    if (!stdout) throw new Error(stderr)
    return /** @type {{ cpu: number, memory: number }} */ (JSON.parse(stdout))
  })
  const what = 'checks, loaded at the first such grant'
  const size = `${(statSync(file).size / 1024).toFixed(0)} KB`
  return [
    { what: `${what}: CPU`, measured: median(figures.map((f) => f.cpu)), unit: 'ms', detail: size },
    { what: `${what}: memory`, measured: median(figures.map((f) => f.memory)), unit: 'MB' },
  ]
}
