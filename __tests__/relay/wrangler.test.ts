import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { type GitHub, startGitHub } from '../support/github.ts'
import { ADMIN_BEARER, RELAY_KEY } from '../support/relay-keys.ts'
import {
  type PackedWorker,
  packWithWrangler,
  readConfiguration,
  WRANGLER,
} from '../support/wrangler.ts'

const { default: WORKERD } = createRequire(import.meta.url)('workerd') as { default: string }

const TOKEN = `ghp_${'a'.repeat(36)}`
const BODY = '{"hello":"world"}'
const JSON_BODY = { 'content-type': 'application/json' }

// Skipped without wrangler, which `.ci/run` installs: HOOKLINE_WRANGLER names its program.
const run = WRANGLER ? describe : describe.skip

run('what wrangler packs', () => {
  let folder: string
  let github: GitHub
  let packed: PackedWorker
  let worker: Worker | undefined

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'wrangler-'))
    github = await startGitHub()
    packed = await packWithWrangler(folder)
  })
  afterAll(async () => {
    await worker?.close()
    await github.close()
    await rm(folder, { recursive: true })
  })
  beforeEach(async () => {
    await worker?.close()
    worker = undefined
    github.reset()
  })

  const start = async (secrets: Readonly<Record<string, string>>, hasObjects: boolean) => {
    worker = await startPacked(
      packed.folder,
      { ...secrets, HOOKLINE_API_URL: github.url },
      hasObjects,
    )
    return worker.url
  }
  const createEndpoint = (url: string, bearer: string) =>
    fetch(`${url}/-admin/endpoints`, {
      method: 'POST',
      headers: { ...JSON_BODY, authorization: `Bearer ${bearer}` },
      body: JSON.stringify({
        ...{ name: 'orders', repository: 'octo/shop', workflow: 'hook', trigger: 'webhook' },
        token: TOKEN,
      }),
    })
  const isForwarded = async (url: string) => {
    const response = await fetch(`${url}/octo/shop/hook/webhook?a=1`, {
      method: 'POST',
      headers: { ...JSON_BODY, 'x-platform-authorization': `Bearer ${TOKEN}` },
      body: BODY,
    })
    expect(await response.json()).toEqual({ success: true })
    expect(github.calls).toMatchObject([
      { url: '/repos/octo/shop/dispatches', headers: { authorization: `Bearer ${TOKEN}` } },
    ])
    expect(JSON.parse(github.calls[0]?.body ?? '').client_payload).toMatchObject({
      ...{ path: 'hook/webhook?a=1', method: 'POST', body: BODY },
    })
  }

  test('is the worker and the modules that it imports, and no other file', async () => {
    const names = await readdir(packed.folder)
    expect(names.filter((name) => name.endsWith('.js')).sort()).toEqual([
      ...['relay-object.js', 'verification.js', 'worker.js'],
    ])
    const { objects, sqliteClasses } = await readConfiguration()
    expect(objects).toEqual([{ binding: 'RELAY', className: 'RelayObject' }])
    expect(sqliteClasses).toEqual(['RelayObject'])
    expect(packed.printed).toContain('env.RELAY')
  })

  test('forwards a token URL without the binding', async () => {
    await isForwarded(await start({}, false))
  })

  test('forwards a token URL with the binding, also without a relay key', async () => {
    await isForwarded(await start({}, true))
  })

  test('creates an endpoint by the admin API, and the endpoint receives events', async () => {
    const url = await start({ HOOKLINE_RELAY_KEY: RELAY_KEY }, true)
    const created = await createEndpoint(url, ADMIN_BEARER)
    expect(created.status).toBe(201)
    // Checked below.
    const { url: path } = (await created.json()) as { url: string }
    expect(path).toMatch(/^\/-\/octo\/[\w-]{22}$/)
    github.reset()
    const received = await fetch(`${url}${path}/eu?b=2`, {
      method: 'POST',
      headers: JSON_BODY,
      body: BODY,
    })
    expect(received.status).toBe(200)
    expect(github.calls).toMatchObject([
      { url: '/repos/octo/shop/dispatches', headers: { authorization: `Bearer ${TOKEN}` } },
    ])
    expect(JSON.parse(github.calls[0]?.body ?? '').client_payload.path).toBe('hook/webhook/eu?b=2')
  })

  test('refuses a wrong bearer, and an unknown endpoint', async () => {
    const url = await start({ HOOKLINE_RELAY_KEY: RELAY_KEY }, true)
    expect((await createEndpoint(url, 'wrong')).status).toBe(401)
    const unknown = await fetch(`${url}/-/octo/${'a'.repeat(22)}`, { method: 'POST', body: BODY })
    expect(unknown.status).toBe(401)
    expect(github.calls).toEqual([])
  })

  test('responds with 503 relay_key_missing to endpoints and the admin API without a key', async () => {
    const url = await start({}, true)
    for (const response of [
      await createEndpoint(url, ADMIN_BEARER),
      await fetch(`${url}/-/octo/${'a'.repeat(22)}`, { method: 'POST', body: BODY }),
    ]) {
      expect(response.status).toBe(503)
      expect(await response.json()).toMatchObject({
        error: {
          code: 'relay_key_missing',
          hint: expect.stringContaining('wrangler secret put HOOKLINE_RELAY_KEY'),
        },
      })
    }
    expect(github.calls).toEqual([])
  })
})

interface Worker {
  readonly url: string
  close(): Promise<void>
}

/** Runs the packed modules in workerd, set up as `wrangler.toml` says. */
async function startPacked(
  modules: string,
  secrets: Readonly<Record<string, string>>,
  hasObjects: boolean,
): Promise<Worker> {
  const folder = await mkdtemp(join(tmpdir(), 'packed-'))
  await cp(modules, folder, { recursive: true })
  await mkdir(join(folder, 'disk'))
  const file = join(folder, 'config.capnp')
  const others = (await readdir(folder)).filter(
    (name) => name.endsWith('.js') && name !== 'worker.js',
  )
  await writeFile(file, await workerdConfig(['worker.js', ...others], secrets, hasObjects))
  const child = spawn(WORKERD, ['serve', file, '--control-fd=3'], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit', 'pipe'],
  })
  const [line] = await once(createInterface(child.stdio[3] as Readable), 'line')
  return {
    url: `http://127.0.0.1:${JSON.parse(line).port}`,
    close: async () => {
      child.kill()
      await once(child, 'exit')
      await rm(folder, { recursive: true })
    },
  }
}

async function workerdConfig(
  names: readonly string[],
  secrets: Readonly<Record<string, string>>,
  hasObjects: boolean,
): Promise<string> {
  const configuration = await readConfiguration()
  const { compatibilityDate, compatibilityFlags, sqliteClasses } = configuration
  const objects = hasObjects ? configuration.objects : []
  const quoted = (text: string) => JSON.stringify(text)
  const modules = names.map((name) => `(name = ${quoted(name)}, esModule = embed ${quoted(name)})`)
  const bindings = [
    ...Object.entries(secrets).map(
      ([name, text]) => `(name = ${quoted(name)}, text = ${quoted(text)})`,
    ),
    ...objects.map(
      ({ binding, className }) =>
        `(name = ${quoted(binding)}, durableObjectNamespace = ${quoted(className)})`,
    ),
  ]
  const namespaces = objects.map(
    ({ className }) =>
      `(className = ${quoted(className)}, uniqueKey = ${quoted(className)}, enableSql = ${sqliteClasses.includes(className)})`,
  )
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = .relay),
    (name = "internet", network = (allow = ["private", "public"])),
    (name = "disk", disk = (path = "disk", writable = true)),
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
const relay :Workerd.Worker = (
  modules = [${modules.join(', ')}],
  bindings = [${bindings.join(', ')}],
  compatibilityDate = ${quoted(compatibilityDate)},
  compatibilityFlags = [${compatibilityFlags.map(quoted).join(', ')}],
  durableObjectNamespaces = [${namespaces.join(', ')}],
  durableObjectStorage = (localDisk = "disk"),
);
`
}
