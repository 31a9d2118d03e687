import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { expect, test } from '@jest/globals'
import { workerBundle } from '../support/build.ts'

const ROOT = new URL('../..', import.meta.url).pathname
const run = promisify(execFile)

test('R29: the worker is at most 100 KB minified, and names no module of Node', async () => {
  const script = await readFile(await workerBundle(), 'utf8')
  expect(Buffer.byteLength(script)).toBeLessThanOrEqual(100 * 1024)
  expect(script).not.toMatch(/["']node:|\brequire\(|\bprocess\.|\bBuffer\b|__dirname/)
}, 60_000)

test('the worker compiles against the types of a worker alone', async () => {
  const tsc = `${ROOT}node_modules/.bin/tsc`
  await expect(run(tsc, ['-p', 'tsconfig.worker.json'], { cwd: ROOT })).resolves.toBeDefined()
}, 60_000)
