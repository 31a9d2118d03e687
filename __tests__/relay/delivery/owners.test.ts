import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { DATABASE_RUNTIMES, type DatabaseRelay } from '../../support/database-relays.ts'
import { type GitHub, startGitHub } from '../../support/github.ts'
import { createEndpoint } from '../../support/large-bodies.ts'
import { ADMIN_BEARER } from '../../support/relay-keys.ts'

const OWNER = 'ghp_the-token-of-the-attacker-aaaaaaaaaaaa'
const VICTIM = 'ghp_the-token-of-the-victim-bbbbbbbbbbbbbb'

/** Files of a folder and their bytes; a write-ahead log may grow without a new event. */
async function filesIn(folder: string): Promise<string[]> {
  const all = await readdir(folder, { recursive: true })
  const files = await Promise.all(
    all.map(async (name) => ((await stat(join(folder, name))).isFile() ? [name] : [])),
  )
  return files.flat().sort()
}

describe.each(DATABASE_RUNTIMES)('on $name', ({ isThere, start }) => {
  const run = isThere ? test : test.skip
  let github: GitHub
  let relay: DatabaseRelay
  beforeEach(async () => {
    github = await startGitHub()
    if (!isThere) return
    relay = await start({
      HOOKLINE_API_URL: github.url,
      HOOKLINE_MAX_STORAGE_MB: '1',
    })
  })
  afterEach(async () => {
    await relay?.close()
    await github.close()
  })

  const send = async (path: string, token: string, body = '{}') => {
    const headers = { 'x-platform-authorization': token }
    const response = await fetch(`${relay.url}/${path}`, { method: 'POST', headers, body })
    await response.text()
    return response.status
  }

  const metrics = async (owner: string) => {
    const headers = { authorization: `Bearer ${ADMIN_BEARER}` }
    const address = `${relay.url}/-admin/metrics?owner=${owner}`
    return (await fetch(address, { headers })).text()
  }

  run('30 made-up tokens leave no file', async () => {
    expect(await send('victim/repo/hook/webhook', VICTIM)).toBe(200)
    // The first call of the owner's database makes its files, perhaps after the response.
    await metrics('victim')
    const before = await filesIn(relay.folder)
    github.always({ status: 401, body: '{"message":"Bad credentials"}' })
    for (let n = 0; n < 30; n++) {
      const token = `ghp_made-up-${String(n).padStart(30, '0')}`
      expect(await send('victim/repo/hook/webhook', token)).toBe(401)
    }
    expect(await filesIn(relay.folder)).toEqual(before)
  })

  run('one token with 64 repositories leaves room for others, and /readyz is 200', async () => {
    expect(await send('victim/repo/hook/webhook', VICTIM)).toBe(200)
    const statuses: number[] = []
    for (let n = 0; n < 64; n++) {
      const path = `attacker/repo-${n}/hook/webhook`
      await send(path, OWNER)
      const settings = { repository: `attacker/repo-${n}`, token: OWNER, batch: 3600 }
      const address = await createEndpoint(relay, settings)
      statuses.push(await send(address.slice(1), OWNER, 'x'.repeat(16_000)))
    }
    // Without room for a batch, the event is dispatched by itself.
    expect(new Set(statuses)).toEqual(new Set([202, 200]))
    github.always({ status: 503 })
    expect(await send('victim/repo/hook/webhook', VICTIM)).toBe(202)
    expect(await (await fetch(`${relay.url}/readyz`)).text()).toBe('ready')
    expect(await metrics('attacker')).toMatch(/^hookline_imbalance 0$/m)
  })
})
