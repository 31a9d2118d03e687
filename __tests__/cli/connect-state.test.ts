import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { connectFolder } from '../../src/cli/connect/public-relay.ts'

let home: string
const before = process.env.XDG_STATE_HOME
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'hookline-state-'))
  process.env.XDG_STATE_HOME = home
})
afterEach(() => {
  if (before === undefined) delete process.env.XDG_STATE_HOME
  else process.env.XDG_STATE_HOME = before
  rmSync(home, { recursive: true })
})

test.each([
  ['https://api.github.com', 'octo/repo'],
  ['https://api.github.com/', 'octo/repo'],
  ['https://github.example.com/api/v3', 'github.example.com/octo/repo'],
  ['https://api.acme.ghe.com', 'api.acme.ghe.com/octo/repo'],
  ['https://codeberg.org/api/v1/', 'codeberg.org/octo/repo'],
  ['http://localhost:3000/git/api/v1', 'localhost_3000_git/octo/repo'],
])('the state of a repository at %s is in %s', (apiUrl, folder) => {
  const target = { repository: 'Octo/Repo', workflow: 'hook', trigger: 'webhook' }
  const { path } = connectFolder(target, { apiUrl: new URL(apiUrl) })
  expect(path).toBe(join(home, 'hookline/connect', folder, 'hook.webhook'))
})
