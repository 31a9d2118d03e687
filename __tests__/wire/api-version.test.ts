import { expect, test } from '@jest/globals'
import { ServerVersion } from '../../src/wire/api-version.ts'

const CURRENT = '2026-03-10'
const OLDER = '2022-11-28'

/** The versions of the calls for two requests; each call gets the next status. */
async function versionsOf(apiUrl: string, ...statuses: number[]): Promise<string[][]> {
  const server = new ServerVersion(new URL(apiUrl))
  const requests: string[][] = []
  for (let count = 0; count < 2; count++) {
    const versions: string[] = []
    requests.push(versions)
    await server.ask(async (version, isOlder) => {
      expect(isOlder).toBe(version === OLDER)
      versions.push(version)
      return { status: statuses.shift() ?? 204 }
    })
  }
  return requests
}

test.each([
  ['accepts the current version', [204], [[CURRENT], [CURRENT]]],
  ['refuses the request', [404], [[CURRENT], [CURRENT]]],
  ['refuses the current version', [400, 204], [[CURRENT, OLDER], [OLDER]]],
  ['refuses the content by both', [400, 400], [[CURRENT, OLDER], [CURRENT]]],
  ['refuses the token after the version', [400, 401], [[CURRENT, OLDER], [CURRENT]]],
  ['accepts the older version with 299', [400, 299], [[CURRENT, OLDER], [OLDER]]],
  ['accepts the older version with 200', [400, 200], [[CURRENT, OLDER], [OLDER]]],
  ['redirects after the version', [400, 300], [[CURRENT, OLDER], [CURRENT]]],
  ['fails after the version', [400, 502], [[CURRENT, OLDER], [CURRENT]]],
])('a server that %s', async (_, statuses, versions) => {
  expect(await versionsOf('https://ghes.example/api/v3', ...statuses)).toEqual(versions)
})

test('a refusal of Forgejo or Gitea is not asked again, because they have no versions', async () => {
  const versions = await versionsOf('https://forge.example/api/v1', 400)
  expect(versions).toEqual([[CURRENT], [CURRENT]])
})
