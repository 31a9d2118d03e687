import { readFileSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import { VERSION } from '../../src/wire/version.ts'
import { DATABASE_RUNTIMES } from '../support/database-relays.ts'
import { APP_ID, PKCS1 } from '../support/github-app.ts'
import { send } from '../support/raw-http.ts'
import { RELAY_KEY } from '../support/relay-keys.ts'
import { RUNTIMES } from '../support/relays.ts'
import { TOKEN } from '../support/scene.ts'

const TARGET = '/.well-known/hookline'
const PLAIN = {
  version: VERSION,
  dispatch: 'repository',
  credential: 'none',
  stateless: true,
  singleRepository: false,
}

test('the version is that of the package', () => {
  const manifest = new URL('../../package.json', import.meta.url)
  expect(VERSION).toBe(JSON.parse(readFileSync(manifest, 'utf8')).version)
})

describe.each(RUNTIMES)('the public description of a relay on %s', (_, start) => {
  test.each([
    ['nothing set', {}, PLAIN],
    ['a forge without repository_dispatch', { HOOKLINE_FORGE: 'gitea' }, { dispatch: 'workflow' }],
    ['a token', { HOOKLINE_GITHUB_TOKEN: TOKEN }, { credential: 'token' }],
    ['an App', { HOOKLINE_APP_ID: APP_ID, HOOKLINE_APP_KEY: PKCS1 }, { credential: 'app' }],
    ['one repository', { HOOKLINE_REPOSITORY: 'o/r' }, { singleRepository: true }],
    ['keys', { HOOKLINE_RELAY_KEY: RELAY_KEY }, PLAIN],
  ])('%s', async (_name, env, told) => {
    const relay = await start({ env })
    const answer = await send(relay.url, { target: TARGET })
    const head = await send(relay.url, { method: 'HEAD', target: TARGET })
    const post = await send(relay.url, { method: 'POST', target: TARGET })
    await relay.close()
    expect({ status: answer.status, ...JSON.parse(answer.body) }).toEqual({
      ...{ status: 200, ...PLAIN },
      ...told,
    })
    expect(answer.headers).toMatchObject({
      'content-type': 'application/json',
      'access-control-allow-origin': '*',
    })
    for (const secret of [TOKEN, RELAY_KEY]) {
      expect(answer.body).not.toContain(secret)
    }
    expect(head).toMatchObject({ status: 200, body: '' })
    expect(post.status).toBe(404)
  })
})

describe.each(DATABASE_RUNTIMES)('with a database on $name', ({ isThere, start }) => {
  const run = isThere ? test : test.skip
  run('it says so', async () => {
    const relay = await start({})
    const { body } = await send(relay.url, { target: TARGET })
    await relay.close()
    expect(JSON.parse(body)).toMatchObject({ stateless: false })
  })
})
