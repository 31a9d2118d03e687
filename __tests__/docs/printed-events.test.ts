import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from '@jest/globals'
import { parseAllDocuments, visit } from 'yaml'
import { KINDS } from '../../src/cli/init/kinds.ts'
import { SENDERS } from '../../src/triggers/senders.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const FOLDERS = ['docs', 'templates', 'examples']

/** An expression with a value of the event. */
const OF_EVENT = /\$\{\{.*(?:\boutputs\b|client_payload).*\}\}/s

/** The steps of a YAML text that print a variable of the event in the log, where the runner obeys `::` commands. */
function printing(text: string): string[] {
  const found: string[] = []
  for (const document of parseAllDocuments(text)) {
    visit(document, {
      Map(_, map) {
        const step: unknown = map.toJSON()
        const { env = {}, run } = (step ?? {}) as { env?: Record<string, unknown>; run?: unknown }
        if (typeof run !== 'string' || /::stop-commands::/.test(run)) return
        const names = Object.entries(env ?? {}).flatMap(([name, value]) =>
          OF_EVENT.test(String(value)) ? [name] : [],
        )
        const reads = (line: string) => names.some((name) => line.includes(`$${name}`))
        const isPrinted = (line: string) =>
          /^\s*(?:echo|printf)\b/.test(line) &&
          !/[|>]/.test(line.replaceAll(/"[^"]*"/g, '')) &&
          reads(line)
        found.push(...run.split('\n').filter(isPrinted))
      },
    })
  }
  return found
}

/** The YAML of a page, or of a file. */
function yamlOf(file: string): string[] {
  const text = readFileSync(`${ROOT}/${file}`, 'utf8')
  if (!file.endsWith('.md')) return [text]
  return [...text.matchAll(/^ *```yaml\n([\s\S]*?)^ *```/gm)].map(([, block = '']) => block)
}

test('a step that prints a value of the event in the log is recognized', () => {
  const step = '- env: {A: "${{ steps.h.outputs.body }}"}\n  run: echo "$A"'
  expect(printing(step)).toEqual(['echo "$A"'])
  expect(printing(step.replace('"$A"', '"$A" >> "$GITHUB_STEP_SUMMARY"'))).toEqual([])
})

test('no page, example or template prints a value of the event in the log', () => {
  const files = FOLDERS.flatMap((folder) =>
    readdirSync(`${ROOT}/${folder}`, { recursive: true, encoding: 'utf8' }).map(
      (name) => `${folder}/${name}`,
    ),
  ).filter((file) => /\.(?:md|yml)$/.test(file))
  expect(files.length).toBeGreaterThan(80)
  const found = ['README.md', ...files].flatMap((file) =>
    yamlOf(file)
      .flatMap(printing)
      .map((line) => `${file}: ${line.trim()}`),
  )
  expect(found).toEqual([])
})

describe.each([...KINDS.values()])('init --kind $name', (kind) => {
  test.each([undefined, ...SENDERS])(
    'prints no value of the event in the log, for $name',
    (sender) => {
      const files = kind.files({ name: 'hook', sender })
      expect(files.flatMap(({ text }) => printing(text))).toEqual([])
    },
  )
})
