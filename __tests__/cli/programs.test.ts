import { readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { runShared } from '../support/cli.ts'

/** Tests the environment of programs that the command line starts. */

const SECRETS = {
  HOOKLINE_GITHUB_TOKEN: `github_pat_${'s'.repeat(40)}`,
  HOOKLINE_DEV_KEY: 'sssssssssssssssssssssssssssssssssss',
  BOT_TOKEN: '123456:ssssssssssssssssssssssssssssssss',
  GH_TOKEN: `ghp_${'s'.repeat(36)}`,
  INPUT_SECRETS: '{"A":"ssssssssssss"}',
}

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hookline-programs-'))
})
afterEach(() => rm(folder, { recursive: true }))

async function program(name: string, then = ''): Promise<void> {
  const script = `#!/bin/sh\nenv > '${folder}/${name}.env'\n${then}\n`
  await writeFile(join(folder, name), script, { mode: 0o755 })
}

/** Names of variables with a secret that a program saw. */
function seen(name: string): string[] {
  const text = readFileSync(join(folder, `${name}.env`), 'utf8')
  expect(text).toContain('PATH=')
  return Object.keys(SECRETS).filter((key) => text.includes(`${key}=`))
}

test('git and gh see no token and no key', async () => {
  await program('git', 'exit 1')
  await program('gh', 'exit 1')
  const env = { PATH: `${folder}:${process.env.PATH}`, ...SECRETS }
  const { exitCode, stderr } = await runShared(['init'], { cwd: folder, env })
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
  expect([seen('git'), seen('gh')]).toEqual([[], []])
})

test('each call that starts a program sets its environment', () => {
  const root = fileURLToPath(new URL('../../src/cli', import.meta.url))
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' })
  const calls = files
    .filter((name) => name.endsWith('.ts'))
    .flatMap((name) => {
      const text = readFileSync(join(root, name), 'utf8')
      return [...text.matchAll(/\b(?:spawn|spawnSync|execFile|execFileSync)\(/g)].map(
        ({ index }) => ({ name, call: text.slice(index, index + 400) }),
      )
    })
  expect(calls.length).toBeGreaterThan(5)
  expect(calls.filter(({ call }) => !/\benv\b/.test(call))).toEqual([])
})
