import { createInterface } from 'node:readline/promises'
import type { Readable, Writable } from 'node:stream'
import type { Question } from '../../dev/init/questions.ts'
import { UserError } from '../../wire/errors.ts'
import { renderProblem } from '../../workflow/code-frame.ts'

/** Where a person reads and types. */
export interface Terminal {
  readonly input: Readable
  readonly output: Writable
}

export interface Asking {
  /**
   * Asks until the answer will do; no answer takes the default.
   *
   * @throws UserError when the input is closed instead
   */
  ask(question: Question, fallback: string): Promise<string>
  /** Gives the terminal back. */
  close(): void
}

export function askAt({ input, output }: Terminal): Asking {
  const terminal = createInterface({ input, output })
  // Keeps what is typed, or pasted, ahead of the questions.
  const lines = terminal[Symbol.asyncIterator]()
  const line = async (text: string) => {
    terminal.setPrompt(text)
    terminal.prompt()
    const { value, done } = await lines.next()
    if (done) throw new UserError({ message: 'no answer: nothing was written' })
    return value
  }
  return {
    async ask(question, fallback) {
      for (;;) {
        const answer = (await line(prompt(question, fallback))).trim() || fallback
        const problem = problemOf(question, answer)
        if (problem === undefined) return answer
        output.write(`${problem}\n`)
      }
    },
    close: () => terminal.close(),
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
