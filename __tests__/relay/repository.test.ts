import { describe, expect, test } from '@jest/globals'
import { fc } from '../support/properties.ts'
import { startRawPlatform } from '../support/raw-platform.ts'
import { RUNTIMES } from '../support/relays.ts'
import { scene } from '../support/scene.ts'

const OWNER = /^[A-Za-z0-9][A-Za-z0-9_-]{0,38}$/
const NAME = /^[A-Za-z0-9._-]{1,100}$/

/** The only API path that a request target may lead to; `undefined` if it names no repository. */
function address(target: string): string | undefined {
  const [path = ''] = target.split('?')
  // Repeated slashes at the beginning, and behind the repository, are read as one.
  const [, owner = '', name = '', rest = ''] = /^\/+([^/]+)\/([^/]+)\/+(.*)$/s.exec(path) ?? []
  if (!OWNER.test(owner) || !NAME.test(name) || name === '.' || name === '..') return undefined
  return rest === '' ? undefined : `/repos/${owner}/${name}/dispatches`
}

/** Characters and escapes that leave a path, or end it. */
const hostile = fc.string({
  unit: fc.oneof(fc.constantFrom(...'./%2eE\\?#@'), fc.constantFrom('%2e', '%2F', '..', '../')),
  maxLength: 12,
})
const letters = (more: string) => fc.constantFrom(...`abcXYZ019${more}`)
const owner = fc.string({ unit: letters('_-'), minLength: 1, maxLength: 41 })
const name = fc.string({ unit: letters('._-'), minLength: 1, maxLength: 102 })
const mixed = fc.string({ unit: fc.constantFrom(...'ab./%2eE\\?#@'), minLength: 1, maxLength: 6 })

describe.each(RUNTIMES)('which repository a relay on %s calls', (runtime, start) => {
  const at = scene(start)

  test('of 200 targets: owner and name unchanged, or no call at all', async () => {
    const counts = { called: 0, refused: 0 }
    const first = fc.oneof({ weight: 3, arbitrary: owner }, mixed, hostile)
    const second = fc.oneof({ weight: 3, arbitrary: name }, mixed, hostile)
    const property = fc.asyncProperty(first, second, async (ownerText, nameText) => {
      at.github.reset()
      const target = `/${ownerText}/${nameText}/hook/webhook`
      const { status } = await at.sendKept({ method: 'POST', target })
      // No target has a fragment; workerd cuts it off.
      const expected = address(runtime === 'workerd' ? (target.split('#')[0] ?? '') : target)
      expect(at.github.calls.map(({ url }) => url)).toEqual(expected ? [expected] : [])
      expect([200, 400, 404]).toContain(status)
      expect(status === 200).toBe(expected !== undefined)
      counts[expected ? 'called' : 'refused']++
    })
    await fc.assert(property, { numRuns: 200 })
    expect(Math.min(counts.called, counts.refused)).toBeGreaterThan(20)
  })

  test('a repository that moved is called at its new address, with the same event', async () => {
    const location = '/repositories/42/dispatches'
    at.github.next({ status: 307, headers: { location } }, { status: 204 })
    expect((await at.send({ method: 'POST', target: '/o/r/hook/webhook' })).status).toBe(200)
    const [first, second] = at.github.calls
    expect(at.github.calls.map(({ url }) => url)).toEqual(['/repos/o/r/dispatches', location])
    expect(second?.body).toBe(first?.body)
  })

  test.each([301, 302, 303, 307, 308])(
    'a redirect to another host (%i) makes no connection',
    async (status) => {
      const other = await startRawPlatform('::')
      const { port } = new URL(other.url)
      const hosts = [
        `http://127.0.0.1:${port}`,
        `http://[::1]:${port}`,
        `http://localhost:${port}`,
        `http://user@127.0.0.1:${port}`,
        `//127.0.0.1:${port}`,
        'http://169.254.169.254',
        at.github.url.replace('127.0.0.1', 'localhost'),
      ]
      for (const host of hosts) {
        at.github.reset()
        const location = `${host}/repositories/42/dispatches`
        at.github.next({ status, headers: { location } })
        expect([host, (await at.send({ target: '/o/r/hook/webhook' })).status]).toEqual([host, 502])
        expect(at.github.calls).toHaveLength(1)
      }
      expect(other.connections).toBe(0)
      await other.close()
    },
  )
})
