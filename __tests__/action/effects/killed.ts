import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { webhookRun } from '../../engine/config/scene.ts'
import {
  type ActionRun,
  runAction,
  runInShared,
  runPost,
  runPostInShared,
} from '../../support/action.ts'

/** Kills the action at its writes. */
export function testKilledAction({ step }: { readonly step: number }): void {
  const KILLER = fileURLToPath(new URL('../../support/kill-at-write.mjs', import.meta.url))

  let folder: string
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'hookline-killed-'))
  })
  afterEach(() => rm(folder, { recursive: true }))

  /** The step of a run that gets one delivery, with a store in a file. */
  function delivery(run: string, killAt?: number): ActionRun {
    const config = { shouldDeduplicate: true }
    const on = JSON.stringify({ webhook: { config } })
    const kill =
      killAt === undefined
        ? {}
        : { NODE_OPTIONS: `--import=${KILLER}`, KILL_AT_WRITE: String(killAt) }
    return webhookRun(
      config,
      { id: 7 },
      {
        workspace: folder,
        inputs: { on, state: 'file:state.json' },
        env: { GITHUB_RUN_ID: run, ...kill },
      },
    )
  }

  /**
   * A job whose other steps succeed: the items of the run, and whether it succeeded. A killed part
   * runs in its own process.
   */
  async function job(run: string, killMain?: number, killPost?: number) {
    const [startMain, startPost] = [
      killMain === undefined ? runInShared : runAction,
      killPost === undefined ? runPostInShared : runPost,
    ]
    const main = await startMain(delivery(run, killMain))
    if (main.exitCode !== 0) return { given: 0, ended: false }
    const given = Number(main.outputs.count)
    const post = await startPost(delivery(run, killPost), main.state)
    return { given, ended: post.exitCode === 0 }
  }

  describe(`the action is killed at every write number ${step} of its writes, and its run is started again`, () => {
    test('in the step: no item was used, the re-run is given it, and no other run after that', async () => {
      let number = 0
      for (; ; number += step) {
        await rm(join(folder, 'state.json'), { force: true })
        const { ended } = await job('1', number)
        if (ended) break
        expect(await job('1')).toEqual({ given: 1, ended: true })
        expect((await runInShared(delivery('2'))).outputs.count).toBe('0')
      }
      expect(number).toBeGreaterThan(10)
    }, 300_000)

    test('after the step: the item may be repeated to the same run, never to another one', async () => {
      let number = 0
      for (; ; number += step) {
        await rm(join(folder, 'state.json'), { force: true })
        const { given, ended } = await job('1', undefined, number)
        expect(given).toBe(1)
        if (ended) break
        expect((await runInShared(delivery('2'))).outputs.count).toBe('0')
        expect(await job('1')).toEqual({ given: 1, ended: true })
        expect((await runInShared(delivery('2'))).outputs.count).toBe('0')
      }
      expect(number).toBeGreaterThan(3)
    }, 300_000)
  })

  describe('the order of effects', () => {
    test('a step that ended badly leaves nothing for post to do', async () => {
      const run = webhookRun({ format: 'return 1' }, {}, { workspace: folder })
      const { exitCode, state } = await runInShared(run)
      expect(exitCode).toBe(1)
      expect(state).toEqual({})
      const post = await runPostInShared(run, state)
      expect([post.exitCode, post.stdout, post.outputs]).toEqual([0, '', {}])
    })

    test('post commits what main claimed, and writes no output', async () => {
      const main = await runInShared(delivery('1'))
      const effects = JSON.parse(main.state.effects ?? '')
      expect(effects).toMatchObject([{ kind: 'commit', workflow: 'hook', trigger: 'webhook' }])
      expect((await job('2')).given).toBe(0)
      const post = await runPostInShared(delivery('1'), main.state)
      expect([post.exitCode, post.outputs, post.summary]).toEqual([0, {}, ''])
    })

    test('a run that claims nothing leaves nothing', async () => {
      const { state } = await runInShared(webhookRun({}, { id: 7 }, { workspace: folder }))
      expect(state).toEqual({})
    })
  })
}
