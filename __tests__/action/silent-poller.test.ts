import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { runInShared } from '../support/action.ts'

const POLLS = 'on:\n  messaging_bot:\n    token: 1:x\n'
const RECEIVES = 'on: webhook\n'

let workspace: string
beforeEach(async () => {
  workspace = await mkdtemp(join(tmpdir(), 'hookline-silent-'))
})
afterEach(() => rm(workspace, { recursive: true }))

async function write(files: Readonly<Record<string, string>>): Promise<void> {
  await mkdir(join(workspace, 'workflows'), { recursive: true })
  for (const [name, text] of Object.entries(files)) {
    await writeFile(join(workspace, 'workflows', `${name}.yml`), text)
  }
}

const run = (calling: string, event = 'schedule', inputs = {}) =>
  runInShared({ event, payload: {}, calling, workspace, inputs })

describe('a poller that does not poll is never green and silent', () => {
  test.each([
    ['there is no file of its name', { bot: POLLS }, 'there is no file "hook", but "bot" would'],
    [
      'its own file does not poll',
      { bot: POLLS, hook: RECEIVES },
      '"hook" has no trigger that polls, but "bot" would',
    ],
    [
      'several would',
      { a: POLLS, b: POLLS, hook: RECEIVES },
      '"hook" has no trigger that polls, but "a", "b" would',
    ],
  ])('called from another workflow: %s', async (_, files, found) => {
    await write(files)
    for (const event of ['schedule', 'workflow_dispatch']) {
      const { exitCode, stdout } = await run('hook', event)
      expect(exitCode).toBe(1)
      expect(stdout).toContain(`this run polls nothing: ${found}`)
      expect(stdout).toContain('call the action from a workflow of the name of the file that polls')
      expect(stdout).toContain('workflow: workflows/bot.yml')
    }
  })

  test('no checkout', async () => {
    const { exitCode, stdout } = await run('bot')
    expect(exitCode).toBe(1)
    expect(stdout).toContain('no workflow file matches workflows/**/*.{yml,yaml}')
    expect(stdout).toContain('actions/checkout')
  })

  test.each([
    ['schedule', 'skipSchedule: true', 'config.skipSchedule is true'],
    [
      'workflow_dispatch',
      'manualRunEvent: []',
      'config.manualRunEvent does not name workflow_dispatch',
    ],
    ['schedule', 'active: false', 'config.active is false'],
  ])('an option says no to %s: %s', async (event, option, reason) => {
    const inputs = { on: `messaging_bot:\n  token: 1:x\n  config: { ${option} }\n` }
    const { exitCode, outputs, stdout, summary } = await run('bot', event, inputs)
    expect([exitCode, outputs.items, outputs.triggered]).toEqual([0, '[]', 'false'])
    expect(stdout).toContain(`no trigger fired: messaging_bot: ${reason}`)
    expect(summary).toContain(reason)
  })

  test('a mistake in the only file is reported if the calling workflow has no file', async () => {
    await write({ bot: 'on:\n  messaging_bot:\n    token: ""\n' })
    const { exitCode, stdout } = await run('hook')
    expect(exitCode).toBe(1)
    expect(stdout).toContain('workflows/bot.yml:3:')
  })
})

test.each([
  ['an event on which nothing would poll', 'push', { bot: POLLS, hook: RECEIVES }],
  [
    'a poller elsewhere that an option excludes',
    'schedule',
    { hook: RECEIVES, bot: `${POLLS}    config: { skipSchedule: true }\n` },
  ],
  [
    'a mistake in a file that is none of this run',
    'schedule',
    { hook: RECEIVES, bot: 'on: {webhok: null}' },
  ],
])('is green: %s', async (_, event, files) => {
  await write(files)
  const { exitCode, outputs } = await run('hook', event)
  expect([exitCode, outputs.items]).toEqual([0, '[]'])
})
