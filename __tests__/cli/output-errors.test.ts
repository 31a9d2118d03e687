import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { CLI_BUNDLE, runShared } from '../support/cli.ts'

/** A source that `check --fix` changes. */
const INJECTION = `on: webhook
jobs:
  a:
    runs-on: ubuntu-latest
    steps:
      - run: echo \${{ on.webhook.outputs.body.x }}
`

/** Runs a shell command, in which `hookline` is the command line. */
async function shell(line: string) {
  const script = `set -o pipefail; hookline() { "${process.execPath}" "${CLI_BUNDLE}" "$@"; }; ${line}`
  const child = spawn('bash', ['-c', script], { stdio: ['ignore', 'pipe', 'pipe'] })
  let stderr = ''
  child.stderr.on('data', (chunk) => {
    stderr += chunk
  })
  const [code] = await once(child, 'close')
  return { code, stderr }
}

describe('standard output', () => {
  test('that is closed ends a command quietly', async () => {
    const { code, stderr } = await shell('hookline send --list | head -n 1 > /dev/null')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  })

  if (process.platform !== 'linux') return
  test('that is full is an error in one line with its cure', async () => {
    const { code, stderr } = await shell('hookline send --list > /dev/full')
    expect(code).toBe(1)
    expect(stderr).toMatch(
      /^error: standard output: no space left on the device \(ENOSPC\)\n {2}= /,
    )
    expect(stderr.length).toBeLessThan(200)
  })
})

describe('a file error names path, cause and cure, and exits with 1', () => {
  test.each([
    ['init --name z', '.github/workflows/z.yml'],
    ['build', '.github/workflows/hook.yml'],
    ['check --fix', 'workflows/hook.yml'],
  ])('a file that cannot be written by %s, and no part of it stays', async (command, file) => {
    const folder = await mkdtemp(join(tmpdir(), 'hookline-limit-'))
    await mkdir(join(folder, 'workflows'))
    await writeFile(join(folder, 'workflows/hook.yml'), INJECTION)
    const { code, stderr } = await shell(
      `cd '${folder}' && git init -q && ulimit -f 0 && hookline ${command}`,
    )
    const files = await readdir(folder, { recursive: true })
    await rm(folder, { recursive: true })
    expect(code).toBe(1)
    expect(stderr).toMatch(/^error: \S+: the file is too large \(EFBIG\)\n {2}= /)
    expect(stderr).toContain(`${file}: `)
    expect(files.filter((name) => name.includes('.part'))).toEqual([])
  })

  test.each([
    [
      'a missing folder',
      ['app', 'create', '--relay', 'https://r.example', '--out', 'no/x'],
      'ENOENT',
    ],
  ])('%s', async (_, args, errno) => {
    const { exitCode, stderr } = await runShared(args)
    expect(exitCode).toBe(1)
    expect(stderr).toMatch(
      new RegExp(`^error: .*(?:none\\.json|\\.|no/x): .+ \\(${errno}\\)\n {2}= `),
    )
  })

  // root can write to every file
  if (process.getuid?.() === 0) return
  test('a folder without permission keeps no part of a file', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'hookline-denied-'))
    await chmod(folder, 0o500)
    const args = [
      'send',
      'localhost:1/x/y/z',
      '--sender',
      'discord',
      '--private-key',
      `${folder}/k`,
    ]
    const { exitCode, stderr } = await runShared(args)
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining('permission denied (EACCES)')])
    expect(await readdir(folder)).toEqual([])
    await rm(folder, { recursive: true })
  })
})
