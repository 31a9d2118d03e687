// Six reasons why nothing ran, each planted at a real relay on a fast calendar. GitHub is a stand-in that
// runs the real action, and `gh` changes the stand-in.
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { findNode24 } from '../node24.js'
import { CLI } from './cli.js'
import { normalized } from './outputs.js'
import { Program } from './program.js'
import { ActionsStandIn } from './runs.js'

/** Times as fast as the machine's calendar: a run that does not come is missed after 6 seconds. */
export const RATE = 20

const CLOCK = fileURLToPath(new URL('fast-clock.cjs', import.meta.url))

const token = () => `github_pat_${randomBytes(20).toString('hex')}`

/** @typedef {Awaited<ReturnType<typeof startCauses>>} CausesScene */

/** @returns a relay of octo/shop, and a shell in a clone of this repository */
export async function startCauses() {
  const node = findNode24()
  if (!node) throw new Error('this Node has no SQLite')
  const folder = await mkdtemp(join(tmpdir(), 'hookline-causes-'))
  const clock = { zero: Date.now(), days: 0 }
  const now = () => Date.now() + (Date.now() - clock.zero) * (RATE - 1) + clock.days * 86_400_000
  const github = new ActionsStandIn(node, now)
  const server = createServer((request, response) => github.answer(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())
  const url = `http://127.0.0.1:${port}`
  await mkdir(join(folder, 'bin'))
  await program(join(folder, 'bin/hookline'), `exec '${node}' '${CLI}' "$@"`)
  await program(join(folder, 'bin/gh'), `curl --silent --data "$*" ${url}/gh`)
  const env = {
    PATH: `${join(folder, 'bin')}:${dirname(node)}:${process.env.PATH}`,
    ...{ HOME: folder, NO_COLOR: '1', HOOKLINE_DATA: join(folder, 'data') },
    ...{ HOOKLINE_API_URL: url, HOOKLINE_GITHUB_TOKEN: token() },
  }
  const relay = new Program(node, ['--require', CLOCK, CLI, 'relay'], {
    cwd: folder,
    env: {
      ...env,
      ...{ HOST: '127.0.0.1', PORT: '0', CLOCK_ZERO: String(clock.zero), CLOCK_RATE: String(RATE) },
      // 8 seconds of the calendar would be 0.4 seconds.
      HOOKLINE_TEST_GITHUB_TIMEOUT_MS: String(8000 * RATE),
    },
  })
  await relay.saw(/listening on (http:\S+)[\s\S]*next:/)
  /** Starts a line of a shell. @param {string} line @param {Record<string, string>} [more] */
  const start = (line, more) =>
    new Program('sh', ['-c', line], { cwd: folder, env: { ...env, ...more } })
  /** @param {string} line @param {Record<string, string>} [more] */
  const run = async (line, more) => {
    const shell = start(line, more)
    await shell.end()
    return shell.printed
  }
  /** @type {Map<string, string>} the URL of each endpoint */
  const urls = new Map()
  return {
    ...{ github, start, run },
    /** Creates an endpoint that starts the workflow of its name. @param {string} name @param {string} [more] @param {Record<string, string>} [own] */
    async endpoint(name, more = '', own = {}) {
      const printed = await run(
        `hookline endpoint create ${name} --repository octo/shop --workflow ${name} ${more}`,
        own,
      )
      const [found] = /http:\S+\/-\/octo\/[\w-]{22}/.exec(printed) ?? []
      if (!found) throw new Error(printed)
      urls.set(name, found)
    },
    /** @param {string} name of an endpoint @param {object} [body] @returns {Promise<string>} the delivery id */
    async post(name, body = { action: 'opened' }) {
      const response = await fetch(urls.get(name) ?? '', {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-key': github.senderKey },
        body: JSON.stringify(body),
      })
      return response.headers.get('x-hookline-delivery') ?? ''
    },
    /** The output of `show`, as soon as it matches. @param {string} id @param {RegExp} pattern */
    async shows(id, pattern) {
      for (let tries = 0; tries < 100; tries++) {
        const printed = await run(`hookline deliveries show ${id}`)
        if (pattern.test(printed)) return printed
        await new Promise((resolve) => setTimeout(resolve, 300))
      }
      throw new Error(`${pattern} is missing:\n${await run(`hookline deliveries show ${id}`)}`)
    },
    /** Jumps to the same time of the next day. */
    nextDay() {
      clock.days++
      relay.kill('SIGUSR2')
    },
    async close() {
      await relay.stop()
      server.closeAllConnections()
      server.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** @param {string} path @param {string} line of a shell */
async function program(path, line) {
  await writeFile(path, `#!/bin/sh\n${line}\n`)
  await chmod(path, 0o755)
}

/**
 * @typedef {object} Cause
 * @property {(scene: CausesScene) => Promise<string>} plant returns the delivery in which it is seen
 * @property {RegExp} seen the line of `show` that tells the cause
 * @property {RegExp} cure the command in it
 * @property {readonly [string, string][]} [values] that only a reader knows, in the command
 * @property {(scene: CausesScene) => void} [before] what the cure asks for beside the command
 */

/** @type {Readonly<Record<string, Cause>>} */
export const CAUSES = {
  'expired token': {
    async plant(scene) {
      const expired = token()
      scene.github.workflow('mail')
      await scene.endpoint('mail', '--credential token', { HOOKLINE_GITHUB_TOKEN: expired })
      await scene.post('mail')
      scene.github.revoked.add(expired)
      return scene.post('mail')
    },
    seen: /^sent +waiting .*invalid_token/m,
    cure: /HOOKLINE_GITHUB_TOKEN=.*/,
    values: [['…', token()]],
  },
  'wrong secret': {
    async plant(scene) {
      scene.github.workflow('orders', VERIFIED)
      scene.github.secrets.ORDERS_KEY = 'key-1'
      await scene.endpoint('orders')
      return scene.post('orders')
    },
    seen: /^run ended +FAILED .*verify: token: /m,
    cure: /gh secret set .*/,
    values: [['<NAME>', 'ORDERS_KEY']],
  },
  filter: {
    async plant(scene) {
      scene.github.workflow('tickets', FILTERED)
      await scene.endpoint('tickets')
      return scene.post('tickets', { action: 'closed' })
    },
    seen: /^run ended +FAILED +filter: body\.action is "closed", wanted "opened"/m,
    cure: /hookline deliveries replay .*/,
    before: ({ github }) => github.workflow('tickets'),
  },
  'disabled workflow': {
    async plant(scene) {
      scene.github.workflow('release')
      // The name of its runs is the same, but the file is not.
      scene.github.workflow('audit', FILTERED)
      await scene.endpoint('release')
      scene.github.disabled.add('release.yml')
      return scene.post('release')
    },
    seen: /^run found +FAILED/m,
    cure: /hookline doctor .*/,
  },
  "yesterday's event": {
    async plant(scene) {
      scene.github.workflow('sales')
      await scene.endpoint('sales')
      const delivery = await scene.post('sales')
      await scene.shows(delivery, /^run ended/m)
      scene.nextDay()
      return delivery
    },
    seen: /^run ended +ok/m,
    cure: /hookline deliveries replay .*/,
  },
  'two workflows': {
    async plant(scene) {
      scene.github.workflow('signup')
      scene.github.workflow('welcome')
      await scene.endpoint('signup')
      return scene.post('signup')
    },
    seen: /^run ended +ok/m,
    cure: /hookline endpoint update .* --target .*/,
    values: [['<workflow>', 'welcome']],
  },
}

const VERIFIED =
  'webhook: {verify: {scheme: token, header: x-key, secret: "${{ secrets.ORDERS_KEY }}"}}'

const FILTERED = 'webhook: {config: {filter: {body.action: opened}}}'

/** The recorded texts, by the cause. */
export const CAUSES_FILE = 'scripts/docs/causes.json'

/** The lines with a cause and its cure, as the docs show them. @param {Cause} cause @param {string} shown */
export function causeText({ seen, cure }, shown) {
  const from = seen.exec(shown)?.index ?? 0
  const found = cure.exec(shown.slice(from))
  const end = from + (found ? found.index + found[0].length : 0)
  return normalized(shown.slice(from, end)).replace(/\b\d+ attempts?/, '2 attempts')
}

/**
 * Plants every cause.
 *
 * @returns {Promise<Record<string, string> | undefined>} `undefined` without a Node that has SQLite
 */
export async function recordCauses() {
  if (!findNode24()) return undefined
  const scene = await startCauses()
  try {
    /** @type {Record<string, string>} */
    const texts = {}
    for (const [name, cause] of Object.entries(CAUSES)) {
      const delivery = await cause.plant(scene)
      texts[name] = causeText(cause, await scene.shows(delivery, cause.seen))
    }
    return texts
  } finally {
    await scene.close()
  }
}

/** The recorded texts. @returns {Record<string, string>} */
export function recordedCauses() {
  return JSON.parse(readFileSync(new URL('causes.json', import.meta.url), 'utf8'))
}

/** A section of the guide about deliveries. */
export function causesSection() {
  return Object.entries(recordedCauses())
    .map(([name, text]) => `${TITLES[name]}:\n\n\`\`\`text\n${text}\n\`\`\``)
    .join('\n\n')
}

/** @type {Readonly<Record<string, string>>} */
const TITLES = {
  'expired token': 'The token of the endpoint has expired',
  'wrong secret': 'The secret in the repository is not that of the sender',
  filter: 'The filter in the workflow declined the event',
  'disabled workflow':
    'The workflow is disabled, is not on the default branch, or listens for something else',
  "yesterday's event": 'The event was processed, and is to be processed again',
  'two workflows': 'Only one of two workflows ran',
}
