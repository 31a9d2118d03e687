import { readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import { expect } from '@jest/globals'
import type { Block, Page } from './pages.ts'
import type { Session } from './session.ts'

const SETTINGS = readFileSync(new URL('../../src/wire/settings.ts', import.meta.url), 'utf8')

/** The `.env` of a reader, or the `EnvironmentFile` of a unit: each name is one that somebody reads. */
export async function runEnvironmentFile(
  { text }: Block,
  page: Page,
  session: Session,
): Promise<void> {
  const values = parseEnv(text)
  expect(Object.keys(values)).toHaveLength(text.trim().split('\n').length)
  for (const [name, value] of Object.entries(values)) {
    expect(value).not.toBe('')
    if (name.startsWith('HOOKLINE_')) expect(SETTINGS).toContain(name)
    else expect(page.text.concat(...Object.values(session.env))).toContain(name)
  }
  session.write('.env', text)
}
