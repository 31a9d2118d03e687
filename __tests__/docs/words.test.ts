import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from '@jest/globals'
import { commandNames } from '../../scripts/docs/commands.js'
import { helpOf } from './help.ts'
import { PAGES } from './pages.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

/**
 * Words without a meaning in the field: an example of the wrong use, a pattern, and the words that
 * replace it. Words that also have a correct use, such as "keep" and "answer", are not listed.
 */
const WORDS: readonly (readonly [example: string, pattern: RegExp, instead: string])[] = [
  ['what came', /\bwhat (?:came|arrived)\b/i, 'the request, the payload, the event'],
  ['the request brings', /\bthe request brings\b/i, 'the request contains'],
  ['proves who sent it', /\bprov(?:e[sdn]?|ing)\b|\bproofs?\b/i, 'signature, verify, authenticate'],
  ['text from outside', /\btext (?:of strangers|from outside)\b/i, 'untrusted input'],
  ['a stranger', /\bstrangers?\b/i, 'the role: an unauthenticated client'],
  ['somebody', /\b(?:some|any|every)body\b|\bwhoever\b/i, 'the role: the sender, another process'],
  ['the platform', /\bthe platforms?\b/i, 'GitHub, Telegram, forge'],
  ['authority', /\bauthorit(?:y|ies)\b/i, 'GitHub credential'],
  ['bare token', /\bbare tokens?\b/i, 'plain GitHub token'],
  ['lane', /\blanes?\b/i, 'queue (per repository and credential)'],
  ['set aside', /\bset aside\b/i, 'isolated'],
  ['at the door', /\b(?:the|a) doors?\b/i, 'at the relay'],
  ['keeps time', /\bkeeps time\b|\bthe clock ticks?\b/i, 'scheduler, scheduled run'],
  ['to judge an event', /\bjudges?\b/i, 'to evaluate, to filter'],
  ['quiet seconds', /\bquiet (?:time|seconds|minutes)\b/i, 'debounce'],
  ['pace', /\bpaces?\b/i, 'minimum interval, rate'],
  ['fair share', /\bfair shares?\b/i, 'quota'],
  ['governor', /\bgovernors?\b/i, 'rate limiter'],
  ['passage', /\bpassages?\b/i, 'request handling, handler'],
  ['hand over', /\bhand(?:s|ed|ing)? (?:on|over|out)\b/i, 'pass, output, deliver, return'],
  ['mend', /\bmend(?:s|ed|ing)?\b/i, 'fix'],
  ['guard', /\bguards?\b/i, 'job condition'],
  ['direct mode', /\bdirect mode\b/i, 'workflow_dispatch mode'],
  ['trial', /\btrials?\b/i, 'test event'],
  ['by hand', /\bby hand\b/i, 'manually'],
  ['in clear', /\bin clear\b/i, 'in plain text'],
  ['what stands in a file', /\bwhat stands\b/i, 'the content of a file'],
  ['at once', /\bat once\b/i, 'immediately, concurrently'],
  [
    'behaviour',
    /\bcolours?\b|\bauthoris|\borganisation\b|\bbehaviour\b|\bserialis|\blicence\b/i,
    'American spelling',
  ],
]

/** Old public names, which no text contains. */
const OLD_NAMES =
  /\bHOOKLINE_(?:TOKEN|KEYS|SIGN_KEYS|SEAL_KEYS|REVOKED|ADMIN_BEARER|EVENT|REF|CRON|ACCEPT_MS|OUTBOX_PACE_MS|OUTBOX_HOURS|OUTBOX_EVENTS|OUTBOX_MB|UPSTREAM_TIMEOUT_MS|BODY_MEMORY_MB|SECRET|MESSAGING_API_URL|PLATFORM)\b|\bX-Hookline-Key\b|\bkeys (?:new|sign|access)\b|--(?:self-hosted|deliver)\b/

interface Text {
  readonly where: string
  readonly text: string
}

const SOURCES = ['src', 'scripts', 'bench', '__tests__']

/** The comments of a program; consecutive lines are one comment. */
function commentsOf(code: string): string[] {
  const blocks = code.match(/^[ \t]*\/\*[\s\S]*?\*\//gm) ?? []
  const lines = code.match(/(?:^[ \t]*\/\/ .*\n)+/gm) ?? []
  const trailing = code.match(/(?<=\S.*)(?<=\s)\/\/ .*$/gm) ?? []
  return [...blocks, ...lines, ...trailing].map((text) =>
    text.replace(/\n\s*(?:\*(?!\/)|\/\/)/g, '').replace(/\s+/g, ' '),
  )
}

function comments(): Text[] {
  return SOURCES.flatMap((folder) =>
    readdirSync(`${ROOT}${folder}`, { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.(?:[cm]?js|ts)$/.test(name) && name !== 'docs/words.test.ts')
      .flatMap((name) =>
        commentsOf(readFileSync(`${ROOT}${folder}/${name}`, 'utf8')).map((text) => ({
          where: `${folder}/${name}`,
          text,
        })),
      ),
  )
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

/** The sentences that match a pattern, each with its file. */
function found(texts: readonly Text[], pattern: RegExp): string[] {
  return texts
    .filter(({ text }) => pattern.test(text))
    .flatMap(({ where, text }) =>
      text
        .split(/(?<=[.!?:])\s+/)
        .filter((sentence) => pattern.test(sentence))
        .map((sentence) => `${where}: ${sentence}`),
    )
}

const HELP = await Promise.all(
  [undefined, ...commandNames()].map(async (name) => ({
    where: `hookline ${name ?? ''} --help`,
    text: await helpOf(name),
  })),
)
const MESSAGES = [...messages(), ...HELP]
const PROSE = paragraphs()
const COMMENTS = comments()

describe.each(WORDS)('"%s" matches %s and is replaced by: %s', (example, pattern) => {
  test('the pattern matches the example', () => expect(example).toMatch(pattern))
  test('no message and no help contains it', () => expect(found(MESSAGES, pattern)).toEqual([]))
  test('no page of the docs contains it', () => expect(found(PROSE, pattern)).toEqual([]))
  test('no comment contains it', () => expect(found(COMMENTS, pattern)).toEqual([]))
})

test('a comment of any form is read, and its wrong sentence is shown', () => {
  const code = [
    '/**',
    ' * A good sentence. The relay hands',
    ' * over the event.',
    ' */',
    '// It is handed',
    '// over here.',
    'const a = 1 // handed over by it',
    '',
  ].join('\n')
  const texts = commentsOf(code).map((text) => ({ where: 'a.ts', text }))
  expect(found(texts, /\bhand(?:s|ed) over\b/)).toEqual([
    'a.ts: The relay hands over the event.',
    'a.ts: // It is handed over here.',
    'a.ts: // handed over by it',
  ])
})

test('hundreds of comments and messages are read', () => {
  expect(COMMENTS.length).toBeGreaterThan(5000)
  expect(MESSAGES.length).toBeGreaterThan(1000)
})

test('no message names a file of the docs in place of the address of its page', () => {
  expect(found(MESSAGES, /(?<![\w/.-])docs\/[\w-]+\/[\w-]+\.md/)).toEqual([])
})

test('no text contains an old public name', () => {
  expect(found([...MESSAGES, ...PROSE], OLD_NAMES)).toEqual([])
})
