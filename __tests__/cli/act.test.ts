import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { actRuns } from '../../src/cli/act.ts'
import type { GitHubEvent } from '../../src/wire/payload.ts'
import { until } from '../support/until.ts'

/** Stands in for act: it prints its arguments, its event, its folder and its environment. */
const ACT = `#!/bin/sh
for word; do
  case $word in
    */event.json) file=$word; echo "word <event>";;
    *) echo "word $word";;
  esac
done
cat "$file"; echo
ls -l "$file" | cut -c1-10
pwd
env | grep -E '^(DOCKER|ACT|XDG|HTTPS|HOOKLINE)_' | sort
`

const NOT_INSTALLED =
  'the program "act" is not on the PATH. Install it from https://nektosact.com, or set HOOKLINE_ACT.'

let root: string
let printed: string[]
const { env } = process
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'hookline-act-test-')))
  printed = []
  process.env = { PATH: env.PATH, HOOKLINE_ACT: join(root, 'act') }
})
afterEach(() => {
  process.env = env
  rmSync(root, { recursive: true })
})

function write(file: string, text: string, mode = 0o755): void {
  mkdirSync(dirname(join(root, file)), { recursive: true })
  writeFileSync(join(root, file), text, { mode })
}

const runs = (envFile?: string) =>
  actRuns({ root, envFile, print: (line) => void printed.push(line) })

const event = (path: string): GitHubEvent => ({ name: 'repository_dispatch', payload: { path } })

/** The folders of the events that act wrote into `files`. */
const folders = () => readFileSync(join(root, 'files'), 'utf8').trim().split('\n').map(dirname)

const printedLine = (line: string) => until(() => printed.includes(line))

test('act gets the event in a private file, and the variables of containers', async () => {
  write('act', ACT)
  write('.github/workflows/hook.yml', '')
  Object.assign(process.env, {
    ...{ DOCKER_HOST: 'd', ACT_X: 'a', XDG_X: 'x', HTTPS_PROXY: 'p' },
    HOOKLINE_GITHUB_TOKEN: 'secret',
  })
  const { missing, start } = runs('.env')
  expect(missing).toBeUndefined()
  start('hook', event('hook/webhook'))
  await printedLine('act: succeeded')
  expect(printed).toEqual([
    'act: runs .github/workflows/hook.yml',
    ...['  word repository_dispatch', '  word --workflows', '  word .github/workflows/hook.yml'],
    ...['  word --eventpath', '  word <event>'],
    ...['  word --secret-file', '  word .env', '  word --var-file', '  word .env'],
    '  {"path":"hook/webhook"}',
    '  -rw-------',
    `  ${root}`,
    ...['  ACT_X=a', '  DOCKER_HOST=d', '  HTTPS_PROXY=p', '  XDG_X=x'],
    'act: succeeded',
  ])
})

test('runs are sequential, and their events are removed', async () => {
  write('act', '#!/bin/sh\necho "$5" >> files\necho $# >&2\nexit $(grep -c . files)\n')
  write('.github/workflows/hook.yaml', '')
  const { start } = runs()
  start('hook', event('first'))
  start('other', event('second'))
  start('hook', event('third'))
  await printedLine('act: failed (exit 2)')
  expect(printed).toEqual([
    ...['act: runs .github/workflows/hook.yaml', '  5', 'act: failed (exit 1)'],
    'act: .github/workflows/other.yml is missing. Run: hookline build',
    ...['act: runs .github/workflows/hook.yaml', '  5', 'act: failed (exit 2)'],
  ])
  expect(folders().map(existsSync)).toEqual([false, false])
})

test.each([
  ['is missing', undefined, NOT_INSTALLED],
  ['cannot be executed', 0o644, 'the program failed to start or was ended'],
])('a program that %s is named for each event', async (_, mode, words) => {
  if (mode !== undefined) write('act', ACT, mode)
  write('.github/workflows/hook.yml', '')
  const { missing, start } = runs()
  expect(missing).toBe(NOT_INSTALLED)
  start('hook', event('first'))
  start('hook', event('second'))
  await until(() => printed.length === 4)
  const one = ['act: runs .github/workflows/hook.yml', `act: ${words}`]
  expect(printed).toEqual([...one, ...one])
})

test('close ends the present run, and drops the queued ones', async () => {
  write('act', '#!/bin/sh\necho "$5" > files\necho started\nexec sleep 600\n')
  write('.github/workflows/hook.yml', '')
  const { start, close } = runs()
  start('hook', event('first'))
  start('hook', event('second'))
  await printedLine('  started')
  close()
  start('hook', event('third'))
  await printedLine('act: the program failed to start or was ended')
  await new Promise(setImmediate)
  expect(printed).toEqual([
    'act: runs .github/workflows/hook.yml',
    '  started',
    'act: the program failed to start or was ended',
  ])
  expect(folders().map(existsSync)).toEqual([false])
})
