import { PassThrough } from 'node:stream'
import { describe, expect, test } from '@jest/globals'
import { answered, askAt, questions } from '../../../src/cli/init/questions.ts'

const KNOWN = { repository: 'octo/repo' }
const DEFAULTS = {
  kind: 'webhook',
  name: 'hook',
  repository: 'octo/repo',
  relay: 'http://localhost:3000',
  dispatch: 'repository',
}

/** Types these names for the workflow, one for each prompt, and presses return at other prompts. */
function person(names: readonly string[] = []) {
  const left = [...names]
  return typist((prompt) => (prompt.startsWith('Name') ? (left.shift() ?? '') : ''))
}

/** @param type returns the input for a prompt; `undefined` closes the terminal */
function typist(type: (prompt: string) => string | undefined) {
  const input = new PassThrough()
  const output = new PassThrough()
  let shown = ''
  output.on('data', (chunk) => {
    shown += chunk
    if (!String(chunk).endsWith(' ')) return
    const line = type(String(chunk))
    setImmediate(() => (line === undefined ? input.end() : input.write(`${line}\n`)))
  })
  const { ask: asking } = askAt({ input, output })
  return { asking, shown: () => shown }
}

test('there are at most five questions, each with a flag of its name', () => {
  const names = questions(KNOWN).map(({ name }) => name)
  expect(names).toEqual(['kind', 'name', 'repository', 'relay', 'dispatch'])
})

describe('answers', () => {
  test('are the defaults without a terminal', async () => {
    expect(await answered({}, KNOWN)).toEqual(DEFAULTS)
  })

  test('are the defaults if the user only presses return', async () => {
    const { asking } = person()
    expect(await answered({}, KNOWN, asking)).toEqual(DEFAULTS)
  })

  test('that flags gave are not asked for', async () => {
    const { asking, shown } = person(['deploy'])
    const given = { kind: 'webhook', repository: 'a/b', relay: 'https://r.example' }
    expect(await answered(given, KNOWN, asking)).toEqual({ ...DEFAULTS, ...given, name: 'deploy' })
    expect(shown()).not.toContain('Address of the relay')
  })

  test('about the relay are not asked for if there is no URL', async () => {
    const { asking, shown } = person()
    expect(await answered({ kind: 'bot' }, KNOWN, asking)).toMatchObject({ name: 'bot' })
    expect(shown()).not.toContain('relay')
  })

  test('of a known sender in a clone are not asked for', async () => {
    const { asking, shown } = person()
    const given = { kind: 'webhook', name: 'stripe' }
    const known = { ...KNOWN, hasSender: true }
    expect(await answered(given, known, asking)).toEqual({ ...DEFAULTS, name: 'stripe' })
    expect(shown()).toBe('')
  })

  test('about the repository are asked for without a git remote only', async () => {
    const { asking, shown } = typist((prompt) => (prompt.startsWith('Repository') ? 'a/b' : ''))
    expect(await answered({}, { repository: '' }, asking)).toMatchObject({ repository: 'a/b' })
    const other = person()
    await answered({}, KNOWN, other.asking)
    expect([shown().includes('Repository'), other.shown().includes('Repository')]).toEqual([
      true,
      false,
    ])
  })

  test.each([
    ['What starts', { kind: 'bot' }],
    ['How does the relay', { kind: 'webhook', dispatch: 'workflow' }],
  ])('may be the number of a choice: %s …', async (question, expected) => {
    const { asking } = typist((prompt) => (prompt.startsWith(question) ? '2' : ''))
    expect(await answered({}, KNOWN, asking)).toMatchObject(expected)
  })

  test('that are invalid are asked for again, with the error', async () => {
    const { asking, shown } = person(['no name', 'deploy'])
    expect(await answered({}, KNOWN, asking)).toEqual({ ...DEFAULTS, name: 'deploy' })
    expect(shown()).toMatch(/error: .*"no name"/)
  })

  test.each(['no name', '..'])('of a flag that are invalid are an error: %s', async (name) => {
    await expect(answered({ name }, KNOWN)).rejects.toThrow(`"${name}"`)
  })

  test('of a closed input are an error', async () => {
    const { asking } = typist(() => undefined)
    await expect(answered({}, KNOWN, asking)).rejects.toThrow()
  })
})
