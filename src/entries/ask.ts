import { createInterface } from 'node:readline/promises'
import type { Readable, Writable } from 'node:stream'
import type { Question } from '../dev/init/questions.ts'
import { UserError } from '../protocol/errors.ts'
import { renderProblem } from '../workflow/code-frame.ts'

/** A person at a terminal. */
export interface Terminal {
  readonly input: Readable
  readonly output: Writable
}

/**
 * Asks until the answer will do; no answer takes the default.
 *
 * @throws UserError when the input is closed instead
 */
export async function ask(
  question: Question,
  fallback: string,
  { input, output }: Terminal,
): Promise<string> {
  for (;;) {
    const given = await line(prompt(question, fallback), { input, output })
    const answer = given.trim() || fallback
    const problem = problemOf(question, answer)
    if (problem === undefined) return answer
    output.write(`${problem}\n`)
  }
}

function prompt({ text, choices = [] }: Question, fallback: string): string {
  const list = choices.map(({ name, title }) => `  ${name.padEnd(10)} ${title}\n`).join('')
  const shown = fallback === '' ? '' : ` (${fallback})`
  return choices.length > 1 ? `${text}\n${list}Which one?${shown} ` : `${text}${shown} `
}

function problemOf(question: Question, answer: string): string | undefined {
  try {
    question.check(answer)
    return undefined
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    return error.problems.map((problem) => renderProblem(problem)).join('\n')
  }
}

async function line(text: string, { input, output }: Terminal): Promise<string> {
  const terminal = createInterface({ input, output })
  // A closed input leaves the question without an answer for ever.
  const closed = new Promise<undefined>((resolve) =>
    terminal.once('close', () => resolve(undefined)),
  )
  const answer = await Promise.race([terminal.question(text), closed])
  terminal.close()
  if (answer === undefined) throw new UserError({ message: 'no answer: nothing was written' })
  return answer
}
