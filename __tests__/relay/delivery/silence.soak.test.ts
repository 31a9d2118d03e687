import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { DATABASE_RUNTIMES, type DatabaseRelay } from '../../support/database-relays.ts'
import { type GitHub, startGitHub } from '../../support/github.ts'
import { describeOnNode24 } from '../../support/node24.ts'
import { send } from '../../support/raw-http.ts'
import { ADMIN_BEARER } from '../../support/relay-keys.ts'

describeOnNode24('a relay with a database', () => {
  const [runtime] = DATABASE_RUNTIMES
  let github: GitHub
  let relay: DatabaseRelay
  beforeAll(async () => {
    github = await startGitHub()
    if (!runtime) throw new Error('Node is missing')
    relay = await runtime.start({
      HOOKLINE_API_URL: github.url,
      HOOKLINE_GITHUB_TOKEN: `ghp_${'R'.repeat(36)}`,
    })
  }, 60_000)
  afterAll(async () => {
    await relay?.close()
    await github?.close()
  })

  const admin = async (method: string, target: string, body?: object) => {
    const headers: [string, string][] = [['Authorization', `Bearer ${ADMIN_BEARER}`]]
    const request = { method, target, headers, ...(body && { body: JSON.stringify(body) }) }
    return (await send(relay.url, request)).body
  }
  const alarms = async () =>
    (await admin('GET', '/-admin/metrics'))
      .split('\n')
      .filter((line) => line.startsWith('hookline_alarm'))
  const until = async (isTrue: () => Promise<boolean>) => {
    for (let second = 0; second < 200 && !(await isTrue()); second++) {
      await new Promise((resolve) => setTimeout(resolve, 1000))
    }
    expect(await isTrue()).toBe(true)
  }

  test('begins an alarm after a minute of silence, over a restart, and ends it with an event', async () => {
    const settings = { repository: 'octo/shop', workflow: 'hook', trigger: 'webhook', expect: '1m' }
    const made = JSON.parse(
      await admin('POST', '/-admin/endpoints', { name: 'orders', ...settings }),
    )
    expect(await alarms()).toEqual([])
    await until(async () => (await alarms()).length > 0)
    const alarm = 'hookline_alarm{alarm="silent",subject="octo/orders"} 1'
    expect(await alarms()).toEqual([alarm])
    await relay.restart('kill')
    expect(await alarms()).toEqual([alarm])
    expect(JSON.parse(await admin('GET', '/-admin/status'))).toMatchObject({
      alarms: [{ alarm: 'silent', subject: 'octo/orders' }],
    })
    expect((await send(relay.url, { method: 'POST', target: made.url, body: '{}' })).status).toBe(
      200,
    )
    await until(async () => (await alarms()).length === 0)
    const lines = relay.log.filter((line) => line.includes('"change":"alarm"'))
    expect(lines.map((line) => JSON.parse(line).active)).toEqual([true, false])
  }, 600_000)
})
