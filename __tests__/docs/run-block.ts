import { readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import { runInNewContext } from 'node:vm'
import { expect } from '@jest/globals'
import { RULES } from '../../src/check/rules.ts'
import { runJson } from './json-blocks.ts'
import type { Block, Page } from './pages.ts'
import { compareWithShell } from './powershell-blocks.ts'
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
  ['js', runZabbixScript],
  ['json', runJson],
  ['nginx', runNginx],
  ['powershell', compareWithShell],
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

/**
 * The script of a Zabbix media type, which is the body of a function. The request must contain the token, and
 * the body no setting of the media type.
 */
async function runZabbixScript({ text }: Block): Promise<void> {
  const call = (status: number) => {
    const sent: unknown[] = []
    const headers: string[] = []
    class HttpRequest {
      addHeader = (header: string) => headers.push(header)
      post = (...request: unknown[]) => sent.push(...request)
      getStatus = () => status
    }
    const event = { url: 'https://relay.example.com/-/a', token: 't0ken', event_id: '7' }
    const script = `(function () {${text}})()`
    const result: unknown = runInNewContext(script, { HttpRequest, value: JSON.stringify(event) })
    return { result, sent, headers }
  }
  expect(call(200)).toEqual({
    result: 'OK',
    sent: ['https://relay.example.com/-/a', '{"event_id":"7"}'],
    headers: ['Content-Type: application/json', 'Authorization: Bearer t0ken'],
  })
  expect(call(202).result).toBe('OK')
  for (const status of [401, 503]) expect(() => call(status)).toThrow()
}

/** The examples of a rule come from the rule, and __tests__/check/rules.test.ts checks them. */
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
