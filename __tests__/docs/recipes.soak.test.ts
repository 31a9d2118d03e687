import { execFileSync, spawnSync } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { copyOfRepository, RECIPES } from './recipes.ts'

describe('on a copy of the repository, the recipe', () => {
  let copy: string
  beforeEach(async () => {
    copy = await copyOfRepository()
    for (const args of [
      ['init', '-q'],
      ['add', '-A'],
    ])
      execFileSync('git', args, { cwd: copy })
  })
  afterEach(() => rm(copy, { recursive: true }))

  test.each(RECIPES.map(({ heading, text }) => [heading, text]))('"%s" ends green', (_, text) => {
    const { status, stdout, stderr } = spawnSync(
      'bash',
      ['--norc', '-euo', 'pipefail', '-c', text],
      {
        cwd: copy,
        encoding: 'utf8',
        maxBuffer: 2 ** 26,
      },
    )
    if (status !== 0) throw new Error(`exit code ${status}:\n${`${stdout}${stderr}`.slice(-6000)}`)
    expect(execFileSync('git', ['diff', '--stat'], { cwd: copy }).toString()).not.toBe('')
  })
})
