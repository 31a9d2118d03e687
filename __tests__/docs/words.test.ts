import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from '@jest/globals'
import { commandNames } from '../../scripts/docs/commands.js'
import { helpOf } from './help.ts'
import { PAGES } from './pages.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

/** Words without a meaning in the field, with the words that replace them. */
const WORDS: readonly (readonly [pattern: RegExp, instead: string])[] = [
  [/\bwhat came\b/i, 'the request, the payload, the event'],
  [/\bthe request brings\b/i, 'the request carries'],
  [/\b(?:in|from) an authority\b|\bauthority of its own\b/i, 'GitHub credential'],
  [/\bbare tokens?\b/i, 'plain GitHub token'],
  [/\blanes?\b/i, 'queue (per repository and credential)'],
  [/\bset aside\b/i, 'isolated'],
  [/\bat the door\b|\bthe door\b/i, 'at the relay'],
  [/\bkeeps time\b|\bthe clock ticks?\b/i, 'scheduler, scheduled run'],
  [/\bto judge an? event\b/i, 'to evaluate, to filter'],
  [/\bfair share\b/i, 'quota'],
  [/\bgovernors?\b/i, 'rate limiter'],
  [/\bhand(?:s|ed)? over\b/i, 'pass, output, deliver'],
  [/\bmend(?:s|ed|ing)?\b/i, 'fix'],
  [/\bdirect mode\b/i, 'workflow_dispatch mode'],
  [/\ba trial\b/i, 'test event'],
  [/\bin clear\b/i, 'in plain text'],
  [/\bwhat stands in\b/i, 'what a file contains'],
  [/\bthe text of strangers\b/i, 'untrusted input'],
  [/\bcolours?\b|\bauthoris|\borganisation\b|\bbehaviour\b/i, 'American spelling'],
]

/** Old public names, which no text contains. */
const OLD_NAMES =
  /\bHOOKLINE_(?:TOKEN|KEYS|SIGN_KEYS|SEAL_KEYS|REVOKED|OPERATOR_KEY|EVENT|REF|CRON|ACCEPT_MS|OUTBOX_PACE_MS|OUTBOX_HOURS|OUTBOX_EVENTS|OUTBOX_MB|UPSTREAM_TIMEOUT_MS|BODY_MEMORY_MB|SECRET|MESSAGING_API_URL|PLATFORM)\b|\bX-Hookline-Key\b|\bkeys (?:new|sign|access)\b|--(?:self-hosted|deliver)\b/

interface Text {
  readonly where: string
  readonly text: string
}

/** Strings of the source with at least two words; comments and SQL are no messages. */
function messages(): Text[] {
  return readdirSync(`${ROOT}src`, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .flatMap((name) => {
      const code = readFileSync(`${ROOT}src/${name}`, 'utf8')
        .replace(/\/\*[\s\S]*?\*\//g, '')
        .replace(/^\s*\/\/.*$/gm, '')
      const literals = code.matchAll(
        /'((?:[^'\\\n]|\\.)+)'|"((?:[^"\\\n]|\\.)+)"|`((?:[^`\\]|\\.)+)`/g,
      )
      return [...literals]
        .map(([, one, two, three]) => one ?? two ?? three ?? '')
        .filter(
          (text) =>
            /\w \w/.test(text) && !/^\s*(?:INSERT|SELECT|UPDATE|DELETE|CREATE)\b/.test(text),
        )
        .map((text) => ({ where: `src/${name}`, text }))
    })
}

/** The paragraphs of a page, without blocks of code. */
function paragraphs(): Text[] {
  return PAGES.flatMap(({ name, text }) =>
    text
      .replace(/^```[\s\S]*?^```/gm, '')
      .split('\n')
      .map((line) => ({ where: name, text: line })),
  )
}

function found(texts: readonly Text[], pattern: RegExp): string[] {
  return texts
    .filter(({ text }) => pattern.test(text))
    .map(({ where, text }) => `${where}: ${text}`)
}

const HELP = await Promise.all(
  [undefined, ...commandNames()].map(async (name) => ({
    where: `hookline ${name ?? ''} --help`,
    text: await helpOf(name),
  })),
)
const MESSAGES = [...messages(), ...HELP]
const PROSE = paragraphs()

describe.each(WORDS)('no text contains %s, but %s:', (pattern) => {
  test('messages and help', () => expect(found(MESSAGES, pattern)).toEqual([]))
  test('docs', () => expect(found(PROSE, pattern)).toEqual([]))
})

test('no text contains an old public name', () => {
  expect(found([...MESSAGES, ...PROSE], OLD_NAMES)).toEqual([])
})
