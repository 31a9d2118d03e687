import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, test } from '@jest/globals'
import { parse } from 'yaml'
import { checkWorkflows } from '../../src/cli/check.ts'

/** Workflow files in which each variable has one slip, and what `check --strict` says of them. */
interface Cases {
  readonly files: Readonly<Record<string, string>>
  /** The first line of each finding is its position, the marked text and its code. */
  readonly findings: readonly string[]
}

const CASES: Cases = parse(readFileSync(new URL('findings.yml', import.meta.url), 'utf8'))

async function findings(): Promise<string[]> {
  const root = mkdtempSync(join(tmpdir(), 'hookline-findings-'))
  try {
    for (const [file, text] of Object.entries(CASES.files)) {
      mkdirSync(dirname(join(root, file)), { recursive: true })
      writeFileSync(join(root, file), text)
    }
    const { findings } = await checkWorkflows({ root, globs: [], strict: true })
    return findings.map(({ level, code, message, hint, notes = [], position }) => {
      const { source, line = 0, column = 0, length = 0 } = position ?? {}
      const file = source?.file ?? ''
      const marked = CASES.files[file]
        ?.split('\n')
        [line - 1]?.slice(column - 1, column - 1 + length)
      const place = `${file}:${line}:${column}: ${marked}: ${level} ${code}`
      return [place, message, ...(hint ? [hint] : []), ...notes].join('\n')
    })
  } finally {
    rmSync(root, { recursive: true })
  }
}

test('each slip in an expression has its finding, its position and its cure', async () => {
  expect(await findings()).toEqual(CASES.findings)
})
