import { existsSync, readFileSync } from 'node:fs'

/**
 * The text about a sender that is not generated: the parts of its file in `scripts/docs/senders/`, by their
 * headings. All are Markdown.
 *
 * - `own page`: the sender has a page of its own, because its steps or its signature need a whole page
 * - `time-out`: how long the sender waits for a response, in seconds; `none` if it sets no time limit, or a
 *   sentence if its configuration decides
 * - `fire`: the end of the sentence "Then let … send an event"
 * - `filter`: sentences about the events that pass `filter` of its facts
 * - `outputs`: the notes about its outputs; replaces the default sentence
 * - `signature`: follows the generated sentence, or replaces it if the scheme is code
 * - `notes`: anything else that a user has to know
 * - `verified by`: the description of its signature, if its scheme is code
 * - `kind`: the kind of its signature in the table of senders, if its scheme is code; a token otherwise
 *
 * @typedef {Partial<Record<'own page' | 'time-out' | 'fire' | 'filter' | 'outputs' | 'signature' | 'notes' | 'verified by' | 'kind', string>>} Parts
 */

/**
 * How a sender treats a request that failed: the heading `retries: <when>`, with how often and after which
 * responses. `optional`: if its configuration says so. `unknown`: the sender documents nothing.
 *
 * @typedef {object} Retries
 * @property {'yes' | 'no' | 'optional' | 'unknown'} when
 * @property {string} text empty if `when` says everything
 */

/**
 * @param {string} name
 * @returns {Parts & { retries: Retries }}
 */
export function senderText(name) {
  const file = new URL(`senders/${name}.md`, import.meta.url)
  const parts = existsSync(file) ? readFileSync(file, 'utf8').split(/^# /m).slice(1) : []
  const texts = parts.map((part) => {
    const [heading = '', ...lines] = part.split('\n')
    return { heading, text: lines.join('\n').trim() }
  })
  const retries = texts.find(({ heading }) => heading.startsWith('retries: '))
  // A test compares the word with the table of senders.
  const when = /** @type {Retries['when']} */ (
    retries?.heading.slice('retries: '.length) ?? 'unknown'
  )
  return {
    ...Object.fromEntries(texts.map(({ heading, text }) => [heading, text])),
    retries: { when, text: retries?.text ?? '' },
  }
}
