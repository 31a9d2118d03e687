import { createInterface } from 'node:readline/promises'
import type { Readable, Writable } from 'node:stream'
import { UserError } from '../../wire/errors.ts'
import { webhookUrl } from '../../wire/path.ts'
import { isDispatchMode } from '../../wire/payload.ts'
import { renderProblem } from '../../workflow/code-frame.ts'
import { didYouMean } from '../../workflow/suggestion.ts'
import { type Answers, KINDS } from './kinds.ts'

/** One answer that `init` needs: from a flag of the same name, from the terminal, or its default. */
interface InitQuestion {
  readonly name: keyof FlagAnswers
  readonly text: string
  readonly choices?: readonly { readonly name: string; readonly title: string }[]
  /** @param known the earlier answers */
  fallback(known: FlagAnswers): string
  /** False if the answer would change nothing. Without this function, the question is always asked. */
  matters?(known: FlagAnswers): boolean
  /** @throws UserError for an invalid answer */
  check(answer: string): void
}

/** Answers that flags give. */
export type FlagAnswers = {
  readonly [name in keyof Omit<Answers, 'sender' | 'uses' | 'forge'>]?: string | undefined
}

/** Facts that need no question. */
interface KnownFacts {
  /** `owner/name` of the git remote `origin`; empty without a remote. */
  readonly repository: string
  /** Address of a relay on this machine, a placeholder for the public relay. */
  readonly relay?: string
  /** Whether a known sender starts the workflow. `connect` then gives it a URL, with the defaults below. */
  readonly hasSender?: boolean
}

const ANY_NAME = 'hook'

const OWN_RELAY = 'http://localhost:3000'

/** In the order in which they are asked. */
export function questions({
  repository,
  relay: own = OWN_RELAY,
  hasSender = false,
}: KnownFacts): readonly InitQuestion[] {
  const hasRelay = ({ kind }: FlagAnswers) =>
    KINDS.get(kind ?? '')?.secret === undefined && !hasSender
  return [
    {
      name: 'kind',
      text: 'What starts the workflow?',
      choices: [...KINDS.values()],
      fallback: () => [...KINDS.keys()][0] ?? '',
      check: (kind) => checkChoice('kind of workflow', kind, [...KINDS.values()]),
    },
    {
      name: 'name',
      text: 'Name of the workflow',
      fallback: ({ kind }) => KINDS.get(kind ?? '')?.workflow ?? ANY_NAME,
      check: (workflow) => checkUrl({ workflow }),
    },
    {
      name: 'repository',
      text: 'Repository, as owner/name',
      fallback: () => repository,
      matters: () => repository === '',
      check: (answer) => checkUrl({ repository: answer }),
    },
    {
      name: 'relay',
      text: 'Address of the relay',
      fallback: () => own,
      matters: hasRelay,
      check: (relay) => checkUrl({ relay }),
    },
    {
      name: 'dispatch',
      text: 'How does the relay start it?',
      choices: DISPATCH_CHOICES,
      fallback: () => 'repository',
      matters: hasRelay,
      check: (mode) => checkChoice('dispatch', mode, DISPATCH_CHOICES),
    },
  ]
}

const DISPATCH_CHOICES = [
  { name: 'repository', title: 'every listening workflow; needs "Contents: write"' },
  {
    name: 'workflow',
    title: 'only this workflow; needs "Actions: write", which cannot push code',
  },
]

/**
 * Answers every question: from the flags, by asking, or with the default.
 *
 * @param ask receives the default too; absent without a terminal
 * @throws UserError for an invalid flag
 */
export async function answered(
  given: FlagAnswers,
  surroundings: KnownFacts,
  ask?: (question: InitQuestion, fallback: string) => Promise<string>,
): Promise<Answers> {
  const known: Record<string, string> = {}
  for (const question of questions(surroundings)) {
    const fallback = question.fallback(known)
    const own = given[question.name]
    if (own !== undefined) question.check(own)
    const matters = question.matters?.(known) ?? true
    known[question.name] = own ?? (ask && matters ? await ask(question, fallback) : fallback)
  }
  const { kind = '', name = '', repository = '', relay = '', dispatch = '' } = known
  const direct = isDispatchMode(dispatch) ? dispatch : 'repository'
  return { kind, name, repository, relay, dispatch: direct }
}

/** @param what the noun for the message: `kind of workflow` */
function checkChoice(what: string, name: string, choices: readonly { readonly name: string }[]) {
  const names = choices.map((choice) => choice.name)
  if (names.includes(name)) return
  const hint = didYouMean(name, names)
  const message = `unknown ${what} ${JSON.stringify(name)}`
  throw new UserError({ message, ...(hint && { hint }), notes: [`known: ${names.join(', ')}`] })
}

/** The name becomes part of a file name, a URL and an expression; the URL has the strictest rules. */
function checkUrl(part: { workflow?: string; repository?: string; relay?: string }): void {
  const { workflow = ANY_NAME, relay = OWN_RELAY, repository } = part
  if (/\.ya?ml$/.test(workflow)) {
    throw new UserError({
      message: `the name ${workflow} has an extension`,
      hint: `Use: --name ${workflow.replace(/\.ya?ml$/, '')}`,
    })
  }
  webhookUrl({ relay, repository: repository || undefined, workflow, trigger: 'webhook' })
}

/** The streams of a terminal. */
interface Terminal {
  readonly input: Readable
  readonly output: Writable
}

interface Prompt {
  /**
   * Asks until the answer is valid. An empty answer means the default.
   *
   * @throws UserError if the input ends
   */
  ask(question: InitQuestion, fallback: string): Promise<string>
  /** Releases the terminal. */
  close(): void
}

export function askAt({ input, output }: Terminal): Prompt {
  const terminal = createInterface({ input, output })
  // Buffers lines that are pasted before their question.
  const lines = terminal[Symbol.asyncIterator]()
  const line = async (text: string) => {
    terminal.setPrompt(text)
    terminal.prompt()
    const { value, done } = await lines.next()
    if (done)
      throw new UserError({
        message: 'the input ended before the last answer; nothing was written',
        hint: 'Use the defaults: hookline init --yes',
      })
    return value
  }
  return {
    async ask(question, fallback) {
      for (;;) {
        const typed = (await line(prompt(question, fallback))).trim()
        const answer = question.choices?.[Number(typed) - 1]?.name ?? (typed || fallback)
        try {
          question.check(answer)
          return answer
        } catch (error) {
          if (!(error instanceof UserError)) throw error
          const problems = error.problems.map((problem) => renderProblem(problem))
          output.write(`${problems.join('\n')}\n`)
        }
      }
    },
    close: () => terminal.close(),
  }
}

function prompt({ text, choices = [] }: InitQuestion, fallback: string): string {
  const width = Math.max(10, ...choices.map(({ name }) => name.length))
  const list = choices
    .map(({ name, title }, at) => `  ${at + 1} ${name.padEnd(width)} ${title}\n`)
    .join('')
  const shown = fallback === '' ? '' : ` (${fallback})`
  return choices.length > 1 ? `${text}\n${list}Which one?${shown} ` : `${text}${shown} `
}
