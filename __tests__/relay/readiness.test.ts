import { describe, expect, test } from '@jest/globals'
import { RelayError } from '../../src/relay/errors.ts'
import type { Credential } from '../../src/relay/github/credential.ts'
import { Readiness } from '../../src/relay/readiness.ts'
import { endpointsOf, ENDPOINT_RUNTIMES as RUNTIMES } from '../support/endpoint-relays.ts'
import { startGitHub } from '../support/github.ts'
import { send } from '../support/raw-http.ts'
import { TOKEN } from '../support/scene.ts'

const OWN = { kind: 'endpoint', isOwn: true } as Credential
const SENDERS = { kind: 'token', isOwn: false } as Credential

describe('new events can be forwarded or kept', () => {
  test.each([
    ['the own authority is unknown to GitHub', 'invalid_token', OWN, {}, 'credential'],
    ['the clock is wrong', 'app_clock_skew', OWN, {}, 'credential'],
    ['the App is not installed', 'app_not_installed', OWN, { servesOne: true }, 'credential'],
    [
      'the App lacks a permission',
      'app_permission_missing',
      OWN,
      { servesOne: true },
      'credential',
    ],
    ['the event is wrong', 'event_rejected', OWN, { servesOne: true }, undefined],
    ['the App’s key is rejected', 'app_key_rejected', OWN, {}, 'credential'],
    ['the sender’s token is unknown', 'invalid_token', SENDERS, {}, undefined],
    ['one repository of many is refused', 'repository_not_accessible', OWN, {}, undefined],
    ['the one repository is', 'repository_not_accessible', OWN, { servesOne: true }, 'credential'],
    ['GitHub is down', 'github_unavailable', OWN, {}, undefined],
    [
      'the database lacks room',
      'storage_full',
      SENDERS,
      { shortage: 'storage_full' },
      'storage_full',
    ],
    ['its disk fails', 'storage_full', SENDERS, { shortage: 'disk' }, 'disk'],
    ['it has room again', 'storage_full', SENDERS, { shortage: 'none' }, undefined],
    ['nobody can tell of its room', 'storage_full', SENDERS, {}, 'storage_full'],
  ] as const)('%s', async (_, code, credential, setup, why) => {
    let now = 0
    const { servesOne = false, shortage = undefined }: { servesOne?: boolean; shortage?: string } =
      setup
    const lacking = shortage === 'disk' || shortage === 'storage_full' ? shortage : undefined
    const readiness = new Readiness({
      ...{ now: () => now, servesOne },
      ...(shortage && { shortage: async () => lacking }),
    })
    const fails = () => readiness.refused(new RelayError(code), credential)
    fails()
    expect(await readiness.why()).toBe(why)
    expect(readiness.isLost).toBe(why !== undefined || shortage === 'none')
    now += 60_000
    expect(await readiness.why()).toBe(why)
    now += 1
    expect(await readiness.why()).toBeUndefined()
    fails()
    readiness.accepted()
    expect([await readiness.why(), readiness.isLost]).toEqual([undefined, false])
    readiness.refused(new TypeError('a bug'), OWN)
    expect([await readiness.why(), readiness.isLost]).toEqual([undefined, false])
    readiness.stop()
    expect(await readiness.why()).toBe('stopping')
  })

  test('or a large body cannot be stored for a minute, unless the disk fails anyway', async () => {
    let now = 0
    let fault: string | undefined
    const ports = { now: () => now, servesOne: false }
    const readiness = new Readiness({ ...ports, fault: async () => fault })
    const plain = new Readiness(ports)
    expect([await readiness.degraded(), await plain.degraded()]).toEqual([undefined, undefined])
    readiness.bodiesFull()
    plain.bodiesFull()
    now += 60_000
    expect([await readiness.degraded(), await plain.degraded()]).toEqual([
      ...['bodies_full', 'bodies_full'],
    ])
    fault = 'disk'
    expect(await readiness.degraded()).toBe('disk')
    fault = undefined
    now += 1
    expect([await readiness.degraded(), await plain.degraded()]).toEqual([undefined, undefined])
    expect(await readiness.why()).toBeUndefined()
  })

  test('a database that lacks room is no matter while GitHub takes events', async () => {
    const readiness = new Readiness({
      ...{ now: () => 0, servesOne: false, shortage: async () => 'disk' },
    })
    readiness.accepted()
    expect(await readiness.why()).toBeUndefined()
  })
})

describe.each(RUNTIMES)('/readyz of a relay on %s', (_, start) => {
  test('says so in one word, to GET and HEAD alone', async () => {
    const github = await startGitHub()
    const relay = await start({
      env: {
        HOOKLINE_API_URL: github.url,
        HOOKLINE_GITHUB_TOKEN: TOKEN,
      },
    })
    const addressOf = endpointsOf(() => relay)
    // GitHub is asked for the access of the endpoint's credential.
    await addressOf('/o/r/hook/webhook')
    const hook = async () => {
      const target = await addressOf('/o/r/hook/webhook')
      return (await send(relay.url, { method: 'POST', target, body: '{}' })).status
    }
    const ready = async (method = 'GET') => {
      const { status, body } = await send(relay.url, { method, target: '/readyz' })
      return `${status} ${body}`
    }
    expect(await ready()).toBe('200 ready')
    github.always({ status: 401, body: '{"message":"Bad credentials"}' })
    expect(await hook()).toBe(401)
    expect([await ready(), await ready('HEAD')]).toEqual(['503 credential', '503 '])
    expect(await ready('POST')).toMatch(/^404 /)
    const healthy = await send(relay.url, { target: '/healthz' })
    expect(healthy).toMatchObject({ status: 200, body: 'ok' })
    await relay.close()
    await github.close()
  })
})
