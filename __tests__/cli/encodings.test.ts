import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { HOOK, Repository } from '../compiler/support/repository.ts'
import { dispatchEvent, runInShared } from '../support/action.ts'
import { runShared } from '../support/cli.ts'
import { startDev } from '../support/dev.ts'

let repository: Repository
beforeEach(() => {
  repository = new Repository()
})
afterEach(() => repository.remove())

const WORDS = HOOK.replace('echo hi', 'echo grüße')
const NATIVE = `on: {repository_dispatch: {types: [webhook]}}
jobs:
  a:
    runs-on: ubuntu-latest
    steps:
      - uses: hookline/hookline@v1
        with: {on: webhook}
      - run: echo grüße
`
const FOREIGN = 'on: push\njobs: {a: {runs-on: x, steps: [{run: echo grüße}]}}\n'

const latin1 = (text: string) => Buffer.from(text, 'latin1')
const WIDE = /error: .*UTF-16.*/
const NARROW = /error: .*UTF-8.*/

/** The bytes of a workflow file, and the position in the message. */
const FILES: readonly (readonly [string, Buffer, message: RegExp, place: string])[] = [
  ['UTF-16, little end first', Buffer.from(`\ufeff${WORDS}`, 'utf16le'), WIDE, '1:1'],
  ['UTF-16, big end first', Buffer.from(`\ufeff${WORDS}`, 'utf16le').swap16(), WIDE, '1:1'],
  ['Latin-1', latin1(WORDS), NARROW, '6:21'],
]

describe.each(FILES)('a file in %s is an error', (_, bytes, message, place) => {
  beforeEach(() => repository.write('workflows/hook.yml', bytes))
  const told = new RegExp(`${message.source}\\n  --> workflows/hook.yml:${place}\\n`)

  test.each([[['check']], [['check', '--fix']], [['build']]])(
    'of %s, which does not change it, and reports other files too',
    async (args) => {
      repository.write('workflows/other.yml', HOOK.replace('webhook', 'webhok'))
      const { exitCode, stdout, stderr } = await runShared(args, { cwd: repository.root })
      expect([exitCode, stdout + stderr]).toEqual([1, expect.stringMatching(told)])
      expect(stdout + stderr).toContain('webhok')
      expect((stdout + stderr).match(/^error: /gm)).toHaveLength(2)
      expect(repository.list('.')).not.toContain('.github')
    },
  )

  test('of dev', async () => {
    const dev = await startDev({ files: { 'workflows/hook.yml': bytes } })
    try {
      await dev.command.printed(told)
    } finally {
      await dev.stop()
    }
  })

  test('of the action, where it reads the file', async () => {
    const event = dispatchEvent({ path: 'hook/webhook', method: 'POST' })
    const run = { ...event, workspace: repository.root }
    const { exitCode, stdout } = await runInShared(run)
    expect([exitCode, stdout]).toEqual([1, expect.stringMatching(told)])
  })
})

test('the encoding of a native workflow is checked only if it uses the action', async () => {
  repository.write('.github/workflows/mine.yml', latin1(NATIVE))
  repository.write('.github/workflows/theirs.yml', latin1(FOREIGN))
  const { exitCode, stdout, stderr } = await runShared(['check'], { cwd: repository.root })
  expect([exitCode, (stdout + stderr).match(/^error: .*\n.*/gm)]).toEqual([
    1,
    [expect.stringMatching(/UTF-8.*\n {2}--> \.github\/workflows\/mine\.yml:8:21$/)],
  ])
})
