import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { HOOK, Repository } from '../compiler/support/repository.ts'
import { dispatchEvent, runInShared } from '../support/action.ts'
import { runShared } from '../support/cli.ts'
import { startDev } from '../support/dev.ts'
import { IS_FULL } from '../support/effort.ts'

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
const WIDE = 'this file is written in UTF-16, and GitHub reads UTF-8'
const NARROW = 'a byte that is no UTF-8, which GitHub reads'

/** A workflow file as it is on the disk, and where the message of it stands. */
const FILES: readonly (readonly [string, Buffer, message: string, place: string])[] = [
  ['UTF-16, little end first', Buffer.from(`\ufeff${WORDS}`, 'utf16le'), WIDE, '1:1'],
  ['UTF-16, big end first', Buffer.from(`\ufeff${WORDS}`, 'utf16le').swap16(), WIDE, '1:1'],
  ['Latin-1', latin1(WORDS), NARROW, '6:21'],
]

describe.each(FILES)('a file in %s is told', (name, bytes, message, place) => {
  beforeEach(() => repository.write('workflows/hook.yml', bytes))
  const told = `error: ${message}\n  --> workflows/hook.yml:${place}\n`

  test.each([[['check']], [['check', '--fix']], [['build']], [['build', '--fix']]])(
    'by %s, which leaves it, and tells the mistakes of other files',
    async (args) => {
      repository.write('workflows/other.yml', HOOK.replace('webhook', 'webhok'))
      const { exitCode, stdout, stderr } = await runShared(args, { cwd: repository.root })
      expect([exitCode, stdout + stderr]).toEqual([1, expect.stringContaining(told)])
      expect(stdout + stderr).toContain('webhok')
      expect((stdout + stderr).match(/^error: /gm)).toHaveLength(2)
      expect(repository.list('.')).not.toContain('.github')
    },
  )

  // Of a byte order mark dev learns as check does.
  const it = IS_FULL || name === 'Latin-1' ? test : undefined
  it?.('by dev', async () => {
    const dev = await startDev({ files: { 'workflows/hook.yml': bytes } })
    try {
      await dev.command.printed(new RegExp(told.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')))
    } finally {
      await dev.stop()
    }
  })

  test('by the action, where it reads the file', async () => {
    const event = dispatchEvent({ path: 'hook/webhook', method: 'POST' })
    const run = { ...event, workspace: repository.root }
    const { exitCode, stdout } = await runInShared(run)
    expect([exitCode, stdout]).toEqual([1, expect.stringContaining(told)])
  })
})

test('a native workflow that uses the action is told, and one that does not is nobody’s here', async () => {
  repository.write('.github/workflows/mine.yml', latin1(NATIVE))
  repository.write('.github/workflows/theirs.yml', latin1(FOREIGN))
  const { exitCode, stdout, stderr } = await runShared(['check'], { cwd: repository.root })
  expect([exitCode, (stdout + stderr).match(/^error: .*\n.*/gm)]).toEqual([
    1,
    [`error: ${NARROW}\n  --> .github/workflows/mine.yml:8:21`],
  ])
})
