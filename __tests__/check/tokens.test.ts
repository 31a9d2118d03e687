import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { findingJson, sarifLog } from '../../src/check/reports.ts'
import { devFindings, devWorkflowSource } from '../../src/cli/workflows-here.ts'
import { readAllWorkflows } from '../../src/engine/all-workflows.ts'
import { tokensIn, withoutTokens } from '../../src/wire/tokens.ts'
import { renderProblem } from '../../src/workflow/code-frame.ts'
import { GLOBS, Repository } from '../compiler/support/repository.ts'
import { checkByLevel } from '../support/findings.ts'

// Concatenated, so that secret scanners ignore this file.
const LETTERS = 'abcdefghijABCDEFGHIJ0123456789abcdefghij'
const TOKENS = [
  ['of Telegram', `123456789:AA${LETTERS.slice(0, 33)}`],
  ['of Telegram, cut short', `123456789:AA${LETTERS.slice(0, 20)}`],
  ['of GitHub, classic', `ghp_${LETTERS.slice(0, 36)}`],
  ['of an app of GitHub', `ghs_${LETTERS.slice(0, 36)}`],
  ['of GitHub, fine-grained', `github_pat_${LETTERS}${LETTERS}`],
  ['of a bot of Slack', `xoxb-1234567890-1234567890-${LETTERS.slice(0, 24)}`],
  ['of an app of Slack', `xapp-1-A1234567890-1234567890-${LETTERS}`],
  ['of a bot of Discord', `M${LETTERS.slice(0, 25)}.Gabcde.${LETTERS.slice(0, 30)}`],
] as const

let repository: Repository
beforeEach(() => {
  repository = new Repository()
})
afterEach(() => repository.remove())

/** A token in each position that a message quotes: a value, a wrong value, a name, a script. */
function workflow(token: string): string {
  return `on:
  webhook: {method: "${token}"}
  messaging_bot: {token: "${token}"}
env:
  TOKEN: ${token}
jobs:
  a:
    runs-on: ubuntu-latest
    steps:
      - run: echo "\${{ on.webhook.outputs.body.x }}" # ${token}
      - run: echo ${token} "\${{ steps.nope.outputs.x }}"
`
}

describe.each(TOKENS)('a token %s', (_, token) => {
  test('is shown nowhere, though its line is', async () => {
    for (const file of ['workflows/a.yml', '.github/workflows/b.yml']) {
      repository.write(file, workflow(token))
    }
    const { root } = repository
    const { errors, warnings } = await checkByLevel({ root, globs: [] })
    const built = await repository.build()
    const contexts = { secrets: {}, vars: {}, env: {}, github: {} }
    const open = () => devWorkflowSource({ root, globs: GLOBS, contexts })
    const told = [...errors, ...warnings, ...built.errors, ...built.warnings]
    const shown = [
      ...told.map((problem) => renderProblem(problem)),
      ...told.map((problem) => JSON.stringify(findingJson(problem))),
      JSON.stringify(sarifLog(told, '1.0.0')),
      ...readAllWorkflows(open).problems.map((problem) => renderProblem(problem)),
      ...(await devFindings({ root, globs: GLOBS }, open)).map((one) => renderProblem(one)),
    ].join('\n')
    expect(errors.map(({ code }) => code)).toContain('hardcoded-secret')
    expect(shown).toContain('TOKEN: ***')
    expect(shown).not.toContain(token.slice(-18))
  })
})

test.each([
  'sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef',
  'ghcr.io/owner/image:20240101-abcdef',
  'xoxb-your-token-goes-here-please',
  'ghp_YOUR_TOKEN',
  '2024-01-01T00:00:00Z',
])('%s is no token', (text) => {
  expect(tokensIn(text)).toEqual([])
  expect(withoutTokens(text)).toBe(text)
})

test('an address that holds a token is shown without it', () => {
  const token = `123456789:AA${LETTERS.slice(0, 33)}`
  expect(withoutTokens(`https://api.telegram.org/bot${token}/getMe`)).not.toContain(token)
  const hook = `https://hooks.slack.com/services/T12345678/B12345678/${LETTERS.slice(0, 24)}`
  expect(withoutTokens(hook)).not.toContain(LETTERS.slice(0, 24))
})
