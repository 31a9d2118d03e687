import { describe, expect, test } from '@jest/globals'
import type { AskGitHub } from '../../src/cli/github-client.ts'
import { readPublished } from '../../src/cli/target/published.ts'
import { refusalOf } from '../../src/wire/github-api.ts'
import { LISTENING } from './doctor/stand-in.ts'

const NATIVE = '.github/workflows/hook.yml'
const SOURCE = 'workflows/hook.yml'
/** The action reads its triggers from other files. */
const WITHOUT_TRIGGERS = LISTENING.replace('with: { on: webhook }', 'env: {}')

const TARGET = {
  ...{ repository: 'octo/repo', workflow: 'hook', file: NATIVE },
}

/** GitHub with files on the branch `trunk`: their texts, or the statuses that refuse them. */
function github(files: Readonly<Record<string, string | number>>): AskGitHub {
  return async (path) => {
    const [, file] = /\/contents\/(.*)\?ref=trunk$/.exec(path) ?? []
    const known = file === undefined ? '{"default_branch":"trunk"}' : (files[file] ?? 404)
    const answer = {
      status: typeof known === 'number' ? known : 200,
      text: typeof known === 'number' ? '' : known,
      header: () => undefined,
    }
    const refusal = refusalOf(answer, { now: () => new Date(0) })
    return { answer, ...(refusal && { refusal }) }
  }
}

describe('the files of the default branch', () => {
  test('are the native file and its source, if the native file has no triggers', async () => {
    const read = await readPublished(
      TARGET,
      github({ [NATIVE]: WITHOUT_TRIGGERS, [SOURCE]: 'on: webhook\n' }),
    )
    expect(read).toMatchObject({
      found: { branch: 'trunk', files: [{ file: NATIVE }, { file: SOURCE }] },
    })
  })

  test('may have another extension', async () => {
    const path = NATIVE.replace('yml', 'yaml')
    const read = await readPublished(TARGET, github({ [path]: LISTENING }))
    expect(read).toMatchObject({ found: { files: [{ name: path, file: path, text: LISTENING }] } })
  })

  test('are unknown if the token may not read them', async () => {
    expect(await readPublished(TARGET, github({ [NATIVE]: 403 }))).toEqual({
      missing: 'permission',
    })
  })

  test.each([
    ['the native file', { [NATIVE]: 503 }, 503],
    ['the native file, by a rate limit', { [NATIVE]: 429 }, 429],
    ['the source', { [NATIVE]: WITHOUT_TRIGGERS, [SOURCE]: 502 }, 502],
  ])('are not taken for missing if GitHub refuses %s', async (_, files, status) => {
    await expect(readPublished(TARGET, github(files))).rejects.toThrow(
      `unexpected response from the GitHub API (status ${status})`,
    )
  })
})
