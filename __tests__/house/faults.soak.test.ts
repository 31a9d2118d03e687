import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, test } from '@jest/globals'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
mkdirSync(join(ROOT, '.cache'), { recursive: true })
// In the repository, because the suites import @jest/globals.
const folder = mkdtempSync(join(ROOT, '.cache/faults-'))
afterAll(() => rmSync(folder, { recursive: true }))

const CONFIG = `import ordinary from '../../jest.config.js'

export default {
  ...ordinary,
  rootDir: '../..',
  roots: [import.meta.dirname ?? '.'],
  testMatch: ['**/*.test.ts'],
  modulePathIgnorePatterns: [],
}
`

const IMPORTS = `import { afterAll, expect, test } from '@jest/globals'\n`
const PASSING = `test('a test that passes', () => expect(1).toBe(1))\n`
const PAUSE = 'await new Promise((resolve) => setTimeout(resolve, 200))'

/** Suites with one fault each, although all of their tests pass. */
const FAULTS: Readonly<Record<string, string>> = {
  'a rejection after the end of the last test': `
test('starts a promise', () => {
  new Promise((_, reject) => setTimeout(reject, 100, new Error('late')))
})`,
  'a rejection while a later test runs': `
test('starts a promise', () => {
  new Promise((_, reject) => setTimeout(reject, 50, new Error('late')))
})
test('a test that runs meanwhile', async () => { ${PAUSE} })`,
  'an assertion in a timer after the end of the last test': `
test('starts a timer', () => {
  setTimeout(() => expect(1).toBe(2), 100)
})`,
  'an assertion in a timer while a later test runs': `
test('starts a timer', () => {
  setTimeout(() => expect(1).toBe(2), 50)
})
test('a test that runs meanwhile', async () => { ${PAUSE} })`,
  'an exception in afterAll': `
${PASSING}
afterAll(() => { throw new Error('not closed') })`,
  'a rejection in afterAll': `
${PASSING}
afterAll(async () => { ${PAUSE}; throw new Error('not closed') })`,
  'a forgotten test.only': `
${PASSING}
test.only('the only test', () => expect(1).toBe(1))`,
  'a skipped test': `
${PASSING}
test.skip('a test that never runs', () => expect(1).toBe(2))`,
  'a failing assertion': `test('fails', () => expect(1).toBe(2))`,
  'a suite without a test': 'export {}',
  'a syntax error': 'test(',
}

describe('a run is red because of', () => {
  test.each(Object.entries(FAULTS))('%s', async (name, text) => {
    const { code, stdout } = await jest(name, text)
    expect(code).toBe(1)
    expect(stdout).toMatch(/[1-9] failed, |^skipped unexpectedly: |^failed outside of a test/m)
  })
})

test('a run without a fault is green, and its last line has the counts', async () => {
  const { code, stdout } = await jest('no fault', PASSING)
  expect(code).toBe(0)
  expect(stdout.trimEnd().split('\n').at(-1)).toBe('1 passed, 0 failed, 0 skipped')
})

async function jest(name: string, text: string): Promise<{ code: number | null; stdout: string }> {
  const own = join(folder, name.replaceAll(/\W+/g, '-'))
  mkdirSync(own)
  const config = join(own, 'jest.config.js')
  writeFileSync(config, CONFIG.replaceAll('../..', '../../..'))
  writeFileSync(join(own, 'fault.test.ts'), IMPORTS + text)
  const program = join(ROOT, 'node_modules/jest/bin/jest.js')
  const args = ['--experimental-vm-modules', program, '--config', config]
  const env = { ...process.env, HOOKLINE_FORBID_SKIPS: '1' }
  const child = spawn(process.execPath, args, {
    cwd: ROOT,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let stdout = ''
  child.stdout.on('data', (chunk) => {
    stdout += chunk
  })
  const [code] = await once(child, 'close')
  return { code, stdout }
}
