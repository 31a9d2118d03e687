import { UserError } from '../../wire/errors.ts'
import { type Attachment, type Button, FORMATS, type Reply, type ReplyPorts } from './chat.ts'

export type ReadInput = (name: string) => string

/** The value of a button that is a link. */
const ADDRESS = /^https?:\/\/\S+$/i

/**
 * Reads the reply from the inputs of reply/action.yml.
 *
 * @returns `undefined` if the reply has neither text nor file
 * @throws UserError for the first input that is wrong
 */
export function readReply(
  input: ReadInput,
  ports: Pick<ReplyPorts, 'readFile'>,
): Reply | undefined {
  const file = readAttachment('file', input, ports)
  const text = readReplyText(input, ports)
  if (text.trim() === '' && !file) return undefined
  return {
    text,
    format: choiceOf('format', input('format').trim() || 'plain', FORMATS),
    edit: input('edit').trim(),
    buttons: readButtons(input('buttons')),
    file,
    ephemeral: input('ephemeral').trim() === '' ? undefined : readFlag(input, 'ephemeral'),
    silent: readFlag(input, 'silent'),
    allowMentions: readFlag(input, 'allow-mentions'),
    threadGone:
      input('thread-gone').trim() === ''
        ? undefined
        : choiceOf('thread-gone', input('thread-gone').trim(), ['send', 'fail'] as const),
  }
}

/**
 * The text of the reply: `text`, or the content of `text-file`. Linux limits an environment variable to
 * 128 KB, so a step with a longer `text` cannot start.
 */
function readReplyText(input: ReadInput, ports: Pick<ReplyPorts, 'readFile'>): string {
  const text = input('text')
  const file = readAttachment('text-file', input, ports)
  if (!file) return text
  if (text.trim() !== '') {
    throw new UserError({
      message: 'inputs "text" and "text-file" cannot be combined',
      hint: 'Remove one of them.',
    })
  }
  return new TextDecoder().decode(file.bytes)
}

/** A switch. @throws UserError if the value is neither true nor false */
export function readFlag(input: ReadInput, name: string): boolean {
  const text = input(name).trim().toLowerCase() || 'false'
  return choiceOf(name, text, ['true', 'false'] as const) === 'true'
}

function choiceOf<Value extends string>(
  name: string,
  text: string,
  values: readonly Value[],
): Value {
  const found = values.find((value) => value === text)
  if (found) return found
  // The value may be a misplaced secret, so only a short word is shown.
  const shown = /^[\w-]{1,30}$/.test(text) ? ` "${text}"` : ''
  throw new UserError({
    message: `input "${name}" has an unknown value${shown}`,
    hint: `Use one of: ${values.join(', ')}`,
  })
}

/** One button, right after the previous one. Sticky, so that a long line is read in linear time. */
const BUTTON = /\s*\[([^\]\n]+)\]\(([^()\s]*(?:\([^()\s]*\)[^()\s]*)*)\)/gy

/** Rows of buttons, one row a line: `[Approve](approve:42) [Open](https://…)`. */
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
        message: `input "buttons", line ${at + 1}: invalid syntax`,
        hint: 'Write [Approve](approve:42) [Reject](reject:42), or [Open](https://example.com).',
        notes: ['a value cannot contain spaces; a label cannot contain "]"'],
      })
    }
  }
  return rows
}

export interface ChatLimits {
  readonly chat: string
  /** The formats to use in place of HTML; absent if the chat has HTML. */
  readonly withoutHtml?: string
  readonly label: number
  readonly value: number
  readonly unit: 'bytes' | 'characters'
  readonly inRow: number
  readonly rows: number
}

/** @throws UserError that names the input or the button that the chat does not accept */
export function checkReply({ format, buttons: rows }: Reply, limits: ChatLimits): void {
  if (format === 'html' && limits.withoutHtml !== undefined) {
    throw new UserError({
      message: `input "format": ${limits.chat} does not support html`,
      hint: `Use ${limits.withoutHtml}.`,
    })
  }
  const wrong = (what: string) =>
    new UserError({ message: `input "buttons": ${what} (${limits.chat})` })
  if (rows.length > limits.rows) throw wrong(`${rows.length} rows; the limit is ${limits.rows}`)
  for (const row of rows) {
    if (row.length > limits.inRow) {
      throw wrong(`a row has ${row.length} buttons; the limit is ${limits.inRow}`)
    }
    for (const [at, { label, value, isLink }] of row.entries()) {
      const size = limits.unit === 'bytes' ? new TextEncoder().encode(value).length : value.length
      const which = `button ${at + 1} of row ${rows.indexOf(row) + 1}`
      if (!isLink && size > limits.value) {
        throw wrong(
          `the value of ${which} has ${size} ${limits.unit}; the limit is ${limits.value}`,
        )
      }
      if (label.length > limits.label) {
        throw wrong(
          `the label of ${which} has ${label.length} characters; the limit is ${limits.label}`,
        )
      }
    }
  }
}

function readAttachment(
  name: 'file' | 'text-file',
  input: ReadInput,
  { readFile }: Pick<ReplyPorts, 'readFile'>,
): Attachment | undefined {
  const path = input(name).trim()
  if (path === '') return undefined
  try {
    return { name: path.split(/[\\/]/).at(-1) ?? path, bytes: readFile(path) }
  } catch (cause) {
    throw new UserError(
      {
        message: `input "${name}": the file does not exist or is not readable`,
        notes: ['the path is relative to the working copy (GITHUB_WORKSPACE)'],
      },
      { cause },
    )
  }
}
