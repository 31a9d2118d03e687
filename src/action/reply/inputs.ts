import { UserError } from '../../wire/errors.ts'
import {
  type Answer,
  type Attachment,
  type Button,
  FORMATS,
  type ReplyPorts,
  VISIBILITIES,
} from './chat.ts'

type Input = (name: string) => string

/** What a button that leads somewhere has for a value. */
const ADDRESS = /^https?:\/\/\S+$/i

/**
 * Reads what is to be said, by the names of reply/action.yml.
 *
 * @throws UserError for the first input that is wrong
 */
export function readAnswer(input: Input, ports: Pick<ReplyPorts, 'readFile'>): Answer {
  const file = readAttachment(input('file').trim(), ports)
  const text = input('text')
  if (text.trim() === '' && !file) throw new UserError({ message: 'input "text" is empty' })
  return {
    text,
    format: oneOf('format', input('format').trim() || 'plain', FORMATS),
    edit: input('edit').trim(),
    buttons: readButtons(input('buttons')),
    file,
    visibility: input('visibility').trim()
      ? oneOf('visibility', input('visibility').trim(), VISIBILITIES)
      : undefined,
    silent: readFlag(input, 'silent'),
    mentions: readFlag(input, 'mentions'),
  }
}

/** A switch. @throws UserError when it is neither true nor false */
export function readFlag(input: Input, name: string): boolean {
  const text = input(name).trim().toLowerCase() || 'false'
  return oneOf(name, text, ['true', 'false'] as const) === 'true'
}

function oneOf<Value extends string>(name: string, text: string, values: readonly Value[]): Value {
  const found = values.find((value) => value === text)
  if (found) return found
  // It may hold anything, a secret in the wrong place too: only a word is shown.
  const shown = /^[\w-]{1,30}$/.test(text) ? ` "${text}"` : ''
  throw new UserError({
    message: `input "${name}" has an unknown value${shown}`,
    hint: `allowed: ${values.join(', ')}`,
  })
}

/** One button behind the one before it: looked for at one place alone, however long the line is. */
const BUTTON = /\s*\[([^\]\n]+)\]\(([^()\s]*(?:\([^()\s]*\)[^()\s]*)*)\)/gy

/** Rows of buttons, a line each: `[Approve](approve:42) [Open](https://…)`. */
export function readButtons(text: string): Button[][] {
  const rows: Button[][] = []
  for (const [at, line] of text.split(/\r?\n/).entries()) {
    if (line.trim() === '') continue
    const row: Button[] = []
    let end = 0
    for (const found of line.matchAll(BUTTON)) {
      const [whole, label = '', value = ''] = found
      row.push({ label: label.trim(), value, isLink: ADDRESS.test(value) })
      end = found.index + whole.length
    }
    const isWhole = line.slice(end).trim() === ''
    if (isWhole && row.every(({ label, value }) => label !== '' && value !== '')) rows.push(row)
    else {
      throw new UserError({
        message: `input "buttons", line ${at + 1}: not a row of buttons`,
        hint: 'write: [Approve](approve:42) [Reject](reject:42), or [Open](https://example.com)',
        notes: ['a value has no spaces; a label has no "]"'],
      })
    }
  }
  return rows
}

/** Refuses what a platform would refuse, naming the button. */
export function checkButtons(
  rows: Answer['buttons'],
  limits: {
    readonly chat: string
    readonly label: number
    readonly value: number
    /** What a value is counted in, and how. */
    readonly unit: 'bytes' | 'characters'
    readonly inRow: number
    readonly rows: number
  },
): void {
  const wrong = (what: string) =>
    new UserError({ message: `input "buttons": ${what} ${limits.chat} takes` })
  if (rows.length > limits.rows)
    throw wrong(`${rows.length} rows, more than the ${limits.rows} that`)
  for (const row of rows) {
    if (row.length > limits.inRow) {
      throw wrong(`a row has ${row.length} buttons, more than the ${limits.inRow} that`)
    }
    for (const [at, { label, value, isLink }] of row.entries()) {
      const size = limits.unit === 'bytes' ? new TextEncoder().encode(value).length : value.length
      const which = `button ${at + 1} of row ${rows.indexOf(row) + 1}`
      if (!isLink && size > limits.value) {
        throw wrong(
          `the value of ${which} has ${size} ${limits.unit}, more than the ${limits.value} that`,
        )
      }
      if (label.length > limits.label) {
        throw wrong(
          `the label of ${which} has ${label.length} characters, more than the ${limits.label} that`,
        )
      }
    }
  }
}

function readAttachment(
  path: string,
  { readFile }: Pick<ReplyPorts, 'readFile'>,
): Attachment | undefined {
  if (path === '') return undefined
  try {
    const name = path.split(/[\\/]/).at(-1) ?? path
    return { name, bytes: readFile(path) }
  } catch (cause) {
    throw new UserError(
      {
        message: 'input "file": there is no such file that can be read',
        notes: ['a path is relative to the working copy (GITHUB_WORKSPACE)'],
      },
      { cause },
    )
  }
}
