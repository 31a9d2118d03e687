import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { expect } from '@jest/globals'
import { recordedCauses } from '../../scripts/docs/causes.js'
import { STEPS } from '../../src/engine/pipeline.ts'
import { withRun } from '../cli/doctor/stand-in.ts'
import { RunningCommand } from '../support/cli.ts'
import { helpOf } from './help.ts'
import type { Block, Page } from './pages.ts'
import { CLONE, type Session } from './session.ts'
import { asPattern, PRINTED } from './shell-blocks.ts'
import { endConnect } from './walk.ts'

/** Compares a block of output with the real output of the program. */
export async function runText({ text }: Block, page: Page, session: Session): Promise<void> {
  // cli/deliveries-causes compares these.
  if (Object.values(recordedCauses()).includes(text.trim())) return
  const [, command] = /^Usage: hookline (\w+)/.exec(text) ?? []
  if (command) return expect(text.trim()).toBe((await helpOf(command)).trim())
  if (text.startsWith('error: ')) return compareProblem(text, page, session)
  if (text.startsWith('$ ')) return compareRecording(text, session)
  if (text.startsWith('Requirements:\n')) await connectOnce(page, session)
  if (text.startsWith('key → ')) return expect(stepsOf(text)).toEqual(STEPS.map(({ name }) => name))
  const printed = PRINTED.get(page.name) ?? ''
  for (const line of text.trim().split('\n')) expect(printed).toMatch(asPattern(line))
}

/**
 * Makes the mistake of an error message, in the page's file or in a small one, and compares the
 * message.
 */
async function compareProblem(text: string, page: Page, session: Session): Promise<void> {
  const [, file = '', number = ''] = /^ *--> (\S+):(\d+):\d+$/m.exec(text) ?? []
  const [, wrong = ''] = new RegExp(`^ *${number} \\| (.*)$`, 'm').exec(text) ?? []
  const shown = page.blocks.find((block) => block.text.startsWith(`# ${file}\n`))
  const lines = shown?.text.split('\n').slice(1) ?? ['on:', '  webhook:', '', ...JOBS]
  lines[Number(number) - 1] = wrong
  session.write(file, lines.join('\n'))
  const { code, stderr } = await session.run(`hookline check ${file}`)
  session.write(file, 'on: webhook\njobs: {}\n')
  expect(code).toBe(1)
  expect(unindented(stderr)).toContain(unindented(text))
}

/** The longest recording of a terminal on a page. */
const RECORDED_LINES = 25

/**
 * Runs the commands of a recorded terminal in an empty repository, until a test event has led to the end
 * of a run, and compares each line. A line `…` stands for any number of lines.
 */
/** A job of a run whose trigger fired. */
const REACTED = {
  ...{ id: 1, name: 'react', conclusion: 'success' },
  steps: [{ name: 'Run echo', conclusion: 'success' }],
}

async function compareRecording(text: string, session: Session): Promise<void> {
  const lines = text.trimEnd().split('\n')
  expect(lines.length).toBeLessThanOrEqual(RECORDED_LINES)
  const commands = lines.flatMap((line) => (line.startsWith('$ ') ? [line.slice(2)] : []))
  const [file = ''] = /\.github\/workflows\/[\w.-]+/.exec(text) ?? []
  const pushed = Object.defineProperty({}, basename(file), {
    enumerable: true,
    get: () => readFileSync(join(session.folder, file), 'utf8').replace(/@1{40}.*/, '@v1'),
  })
  session.github.always(
    withRun({ workflows: pushed }, { name: basename(file, '.yml'), jobs: [REACTED] }),
  )
  expect((await session.run(CLONE)).code).toBe(0)
  const script = commands.map(
    (command) => `echo '$ ${command.replaceAll("'", `'\\''`)}'\n${command}`,
  )
  const shell = new RunningCommand([], {
    cwd: session.folder,
    env: { ...session.env, STRIPE_SIGNING_SECRET: 'whsec_dGhpcyBpcyBhIHNlY3JldA' },
    as: () => ['bash', '--norc', '-euo', 'pipefail', '-c', script.join('\n')],
  })
  try {
    await shell.printed(/ended: /)
  } finally {
    endConnect(session)
    await shell.ended()
    session.github.reset()
  }
  // The other blocks of the page begin in an empty repository, too.
  expect((await session.run(CLONE)).code).toBe(0)
  const pattern = lines.map((line) =>
    line === '…' ? '(?:.*\\n)*?' : `${asPattern(line).source.slice(1, -1)}\\n`,
  )
  expect(shell.stdout).toMatch(new RegExp(`^${pattern.join('')}`))
}

/** Runs `connect` with the workflow that the page's commands pushed, until a test event has led to the end of a run. */
async function connectOnce({ name }: Page, session: Session): Promise<void> {
  const file = '.github/workflows/hook.yml'
  const pushed = readFileSync(join(session.folder, file), 'utf8')
  session.github.always(withRun({ workflows: { 'hook.yml': pushed } }, { jobs: [REACTED] }))
  const shell = new RunningCommand([], {
    cwd: session.folder,
    env: { ...session.env },
    as: () => ['bash', '-c', 'hookline connect --yes --send-test'],
  })
  try {
    await shell.printed(/ended: /)
  } finally {
    endConnect(session)
    await shell.ended()
    session.github.reset()
  }
  PRINTED.set(name, shell.stdout)
}

const JOBS = ['jobs:', '  a:', '    runs-on: ubuntu-latest', '    steps:', '      - run: echo hi']

/** Removes indentation, because the width of code frames depends on line numbers. */
function unindented(text: string): string {
  return text.replaceAll(/^ +/gm, '').trim()
}

/**
 * The steps in the order of their keys: some have two keys, and `filterOutputs` is the projection.
 */
function stepsOf(text: string): string[] {
  const names = text.trim().split(' → ').slice(1)
  return names.map((keys) => keys.split(', ')[0]?.replace('filterOutputs', 'project') ?? '')
}
