import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from '@jest/globals'

const root = fileURLToPath(new URL('../..', import.meta.url))

test('the first command of the README sends real requests and shows the outputs', async () => {
  const readme = await readFile(`${root}README.md`, 'utf8')
  expect(readme).toContain('```sh\nnode examples/demo.js\n```')
  const { stdout } = await promisify(execFile)(process.execPath, ['examples/demo.js'], {
    cwd: root,
    env: { PATH: process.env.PATH ?? '' },
  })
  expect(stdout).toContain('on.webhook.outputs.body = {"title":"Hello, Hookline"}')
  expect(stdout).toContain('on.webhook.outputs.params = {"userId":"42"}')
})
