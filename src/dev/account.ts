import type { OnContext } from '../engine/result.ts'
import type { Json } from '../wire/json.ts'
import { renderProblem } from '../workflow/code-frame.ts'
import type { DevEvent } from './local-platform.ts'

/** Characters of a value that are shown; the rest is counted. */
const SHOWN_LENGTH = 500

/** An event as a person reads it on a terminal: the request, what fired or why not, the outputs. */
export function account(event: DevEvent): string {
  const { method, path, workflow, trigger, count, reason, problems, warnings, milliseconds } = event
  const place = path === '' ? `${workflow}/${trigger}` : `/webhook/${visible(path)}`
  const outcome = count > 0 ? `fired, ${count === 1 ? '1 item' : `${count} items`}` : 'skipped'
  return [
    `${method} ${place}  ${outcome}  ${milliseconds.toFixed(0)} ms`,
    ...(reason === undefined ? [] : [`  ${reason}`]),
    ...warnings.map((warning) => `  warning: ${visible(warning)}`),
    ...problems.map((problem) => indent(renderProblem(problem))),
    ...event.items.flatMap(outputLines),
    '',
  ].join('\n')
}

function outputLines(context: OnContext): string[] {
  return Object.entries(context).flatMap(([trigger, { outcome, outputs }]) =>
    outcome === 'success'
      ? Object.entries(outputs).map(
          ([name, value]) => `  on.${trigger}.outputs.${name} = ${shown(value)}`,
        )
      : [],
  )
}

function shown(value: Json): string {
  const text = visible(JSON.stringify(value))
  if (text.length <= SHOWN_LENGTH) return text
  return `${text.slice(0, SHOWN_LENGTH)}… (${text.length} characters)`
}

/** Control characters of a request could move the cursor or recolour the terminal. */
function visible(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones to be replaced
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g, '\ufffd')
}

function indent(text: string): string {
  return text.replace(/^/gm, '  ')
}
