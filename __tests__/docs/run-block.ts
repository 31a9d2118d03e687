import { readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import { expect } from '@jest/globals'
import { RULES } from '../../src/lint/rules.ts'
import { runJson } from './json-blocks.ts'
import type { Block, Page } from './pages.ts'
import { runCaddyfile, runNginx } from './server-files.ts'
import type { Session } from './session.ts'
import { runShell } from './shell-blocks.ts'
import { runText } from './text-blocks.ts'
import { runYaml } from './yaml-blocks.ts'

type Run = (block: Block, page: Page, session: Session) => Promise<void>

/** Runners by the language of the fence. */
const RUNNERS = new Map<string, Run>([
  ['caddyfile', runCaddyfile],
  ['dotenv', runEnvironmentFile],
  ['ini', compareOverride],
  ['json', runJson],
  ['nginx', runNginx],
  ['sh', runShell],
  ['text', runText],
  ['yaml', runYaml],
])

const SETTINGS = readFileSync(new URL('../../src/wire/settings.ts', import.meta.url), 'utf8')

/**
 * A reader's `.env`, or the `EnvironmentFile` of a unit: each name must be read by code or by a
 * page.
 */
async function runEnvironmentFile({ text }: Block, page: Page, session: Session): Promise<void> {
  const values = parseEnv(text)
  expect(Object.keys(values)).toHaveLength(text.trim().split('\n').length)
  for (const [name, value] of Object.entries(values)) {
    expect(value).not.toBe('')
    if (name.startsWith('HOOKLINE_')) expect(SETTINGS).toContain(name)
    else expect(page.text.concat(...Object.values(session.env))).toContain(name)
  }
  session.write('.env', text)
}

/** An override of the systemd unit: an empty command, then the command of the unit with a flag. */
async function compareOverride({ text }: Block): Promise<void> {
  const unit = readFileSync(new URL('../../deploy/hookline-relay.service', import.meta.url), 'utf8')
  const [, command = ''] = /^(ExecStart=.+)$/m.exec(unit) ?? []
  expect(text.trim().split('\n')).toEqual(['[Service]', 'ExecStart=', `${command} --allow-tokens`])
}

/** The examples of a rule come from the rule, and __tests__/lint/rules.test.ts checks them. */
function isExampleOfRule({ heading, language, text }: Block): void {
  const { before, after } = RULES.find(({ id }) => id === heading)?.page ?? {}
  const lines = text.trimEnd().split('\n')
  const signedWith = (sign: string) =>
    lines.flatMap((line) => (line.startsWith(sign) ? [line.slice(1)] : [])).join('\n')
  expect(language).toBe('diff')
  expect([signedWith('-'), signedWith('+')]).toEqual([before, after])
}

/** Runs a block by its kind. A kind without a runner fails, so that every new block is run. */
export async function runBlock(block: Block, page: Page, session: Session): Promise<void> {
  if (page.name === 'docs/reference/rules.md') return isExampleOfRule(block)
  // outputs.test.ts runs these commands.
  if (block.language === 'console') return expect(page.name).toBe('docs/reference/commands.md')
  const run = RUNNERS.get(block.language)
  if (!run) {
    const place = `${block.page}:${block.line}`
    throw new Error(`${place}: no runner for "${block.language}"; write one`)
  }
  expect(block.text.trim()).not.toBe('')
  await run(block, page, session)
}
