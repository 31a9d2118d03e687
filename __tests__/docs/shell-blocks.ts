import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { expect } from '@jest/globals'
import { textMessage } from '../support/messages.ts'
import type { Block, Page } from './pages.ts'
import type { Session } from './session.ts'

/** The output of a block, for the next block that shows it. */
export const PRINTED = new Map<string, string>()

/**
 * Runs a block at the reader's terminal. A comment directly below a command shows its output, with
 * `…` for parts that vary.
 */
export async function runShell(
  { page, line, text }: Block,
  _: Page,
  session: Session,
): Promise<void> {
  const { code, stdout, stderr } = await session.run(text)
  expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' })
  PRINTED.set(page, stdout)
  for (const shown of shownOutput(text))
    expect(`${page}:${line}\n${stdout}`).toMatch(asPattern(shown))
  if (page === 'docs/start/telegram-bot.md' && text.includes('dev --poll'))
    await showsMessage(session)
}

/** The running `hookline dev --poll` shows a message to the bot, and acknowledges it. */
async function showsMessage({ folder, telegram }: Session): Promise<void> {
  const log = () => readFileSync(join(folder, '.session/dev.log'), 'utf8')
  telegram.push('message', textMessage('hello from a chat'))
  const end = Date.now() + 120_000
  while (!log().includes('.text = "hello from a chat"\n') || telegram.queue.updates.length > 0) {
    if (Date.now() > end) throw new Error(`no message in:\n${log()}`)
    await setTimeout(50)
  }
}

function shownOutput(text: string): string[] {
  const lines = text.split('\n')
  return lines
    .filter((line, at) => line.startsWith('# ') && at > 0 && lines[at - 1] !== '')
    .map((line) => line.slice(2))
}

/** Matches a whole line, with `…` for any characters. */
export function asPattern(line: string): RegExp {
  const parts = line.trimEnd().split('…')
  const literal = parts.map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  return new RegExp(`^${literal.join('.*')}$`, 'm')
}
