import { existsSync } from 'node:fs'
import { copyFile, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from '@jest/globals'
import { testOnNode24 } from '../../support/node24.ts'
import { opened, sqlite } from '../../support/sqlite.ts'

export const VERSION_1 = join(import.meta.dirname, '../../fixtures/outbox/version-1.db')

/** Kills the migration of a file before or after some of its statements, `step` moments apart. */
export function testKilledMigration(name: string, step: number): void {
  testOnNode24(name, async () => {
    const folder = await mkdtemp(join(tmpdir(), 'outbox-migration-'))
    const file = join(folder, 'outbox.db')
    const moments = join(folder, 'moments')
    const script = join(import.meta.dirname, '../../support/kill-at-statement.cjs')
    const NODE_OPTIONS = `--require=${script}`
    const copied = async () => {
      await copyFile(VERSION_1, file)
      await rm(`${file}.before`, { force: true })
    }
    const events = () => sqlite(file, 'SELECT delivery, state, sealed FROM event ORDER BY seq')
    await copied()
    expect(await opened(file, { NODE_OPTIONS, MOMENTS: moments })).toBe('')
    const whole = await events()
    expect(whole).toHaveLength(4)
    const most = (await readFile(moments, 'utf8')).length
    expect(most).toBeGreaterThan(30)
    for (let at = 1; at <= most; at += step) {
      await copied()
      const killed = await opened(file, { NODE_OPTIONS, KILL_AT: String(at) })
      expect([at, killed]).toEqual([at, 'SIGKILL'])
      expect(await opened(file)).toBe('')
      expect([at, await events()]).toEqual([at, whole])
      expect(existsSync(`${file}.before`)).toBe(false)
    }
    await rm(folder, { recursive: true })
  })
}
