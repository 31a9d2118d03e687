import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from '@jest/globals'
import { anchorOf, commandNames, optionsOf } from '../../scripts/docs/commands.js'
import { secretsOf } from '../../src/cli/init/sender-workflow.ts'
import { ERROR_CODES } from '../../src/relay/errors.ts'
import { SENDERS } from '../../src/triggers/senders.ts'
import { SETTINGS } from '../../src/wire/settings.ts'
import { helpOf } from './help.ts'
import { MANIFEST } from './manifest.ts'
import { mentions, PAGES, type Page } from './pages.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const SOURCES = ['src', 'bench', 'examples', 'docs/senders', '.github/workflows']
  .flatMap((folder) =>
    readdirSync(`${ROOT}${folder}`, { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.(ts|js|gs|yml|env)$/.test(name))
      .map((name) => readFileSync(`${ROOT}${folder}/${name}`, 'utf8')),
  )
  .join('\n')
const HELP = new Map<string, string>()
for (const name of commandNames()) HELP.set(name, await helpOf(name))
const { scripts } = JSON.parse(readFileSync(`${ROOT}package.json`, 'utf8'))

/** The secrets that the workflows of `init` read, some of which get their names from the sender. */
const SENDER_SECRETS = new Set(SENDERS.flatMap(secretsOf))

/** Variables of other programs on the pages. */
const FOREIGN = [
  // GitHub's runner: docs.github.com, "Variables reference" and "Enabling debug logging".
  'ACTIONS_STEP_DEBUG',
  'GITHUB_TOKEN',
  // Node and HTTP tools: proxies, and the end of a process.
  'HTTPS_PROXY',
  'HTTP_PROXY',
  'ALL_PROXY',
  'NO_PROXY',
  'SIGTERM',
  'EADDRINUSE',
  // Directus: the addresses that its flows do not call.
  'IMPORT_IP_DENY_LIST',
]

type Finding = (code: string, page: Page) => string | undefined

function has(help: string | undefined, flag: string): boolean {
  return new RegExp(`(^|[\\s,])${flag}\\b(?!-)`, 'm').test(help ?? '')
}

/** A command of Hookline must exist, with each of its flags. */
const command: Finding = (code) => {
  const [, name, rest = ''] = /^(?:npx )?hookline ([a-z]\w*)\b(.*)$/.exec(code) ?? []
  if (!name) return undefined
  const help = HELP.get(name)
  if (!help) return `no command ${name}`
  const wrong = [...rest.matchAll(/--[a-z-]+/g)]
    .map(([flag]) => flag)
    .find((flag) => !has(help, flag))
  return wrong && `${name} has no ${wrong}`
}

/** A flag by itself must be Hookline's, or occur in a block of the page, which is run. */
const flag: Finding = (code, { blocks }) => {
  const [, name] = /^(--[a-z][a-z-]*)(?:[ =].*)?$/.exec(code) ?? []
  if (!name || name === '--help') return undefined
  const known = [...HELP.values()].some((help) => has(help, name))
  return known || blocks.some(({ text }) => text.includes(name)) ? undefined : `nobody has ${name}`
}

/** A variable or secret must be read by the code or the examples, or occur in a block of a page. */
const variable: Finding = (code) => {
  const [, name] =
    /^([A-Z][A-Z0-9]*_[A-Z0-9_]+|NO_COLOR|PORT|HOST|[A-Z]{6,})(?:=.*)?$/.exec(code) ?? []
  if (!name || FOREIGN.includes(name)) return undefined
  const whole = new RegExp(`\\b${name}\\b`)
  const shown =
    !name.startsWith('HOOKLINE_') &&
    PAGES.some(({ blocks }) => blocks.some(({ text }) => whole.test(text)))
  return whole.test(SOURCES) || shown || SENDER_SECRETS.has(name)
    ? undefined
    : `nobody reads ${name}`
}

/** A script of the package must exist, and so must a file of the repository. */
const script: Finding = (code) => {
  const [, name] = /^npm run ([\w:-]+)/.exec(code) ?? []
  return name && !(name in scripts) ? `no script ${name}` : undefined
}

const file: Finding = (code) => {
  const [path] = /^(?:src|docs|examples|scripts|bench|__tests__|dist)\/[\w./-]+$/.exec(code) ?? []
  if (!path || path.includes('<')) return undefined
  return existsSync(ROOT + path) || path.endsWith('-') ? undefined : `no file ${path}`
}

/** An output of a step must be one of the action's. */
const output: Finding = (code) => {
  const [, name] = /\bsteps\.(?:on|hook|hookline)\.outputs\.([\w-]+)/.exec(code) ?? []
  return name && !MANIFEST.outputs.includes(name) ? `no output ${name}` : undefined
}

const FINDINGS = [command, flag, variable, script, file, output]

function wrong(page: Page): string[] {
  return mentions(page).flatMap(({ line, code }) =>
    FINDINGS.flatMap((finding) => {
      const found = finding(code, page)
      return found ? [`${page.name}:${line} \`${code}\`: ${found}`] : []
    }),
  )
}

test.each(PAGES)('$name: every command, flag, variable, script, file and output exists', (page) => {
  expect(wrong(page)).toEqual([])
})

test.each(PAGES)('$name: every named input and output of the action exists', ({ name, text }) => {
  const named = [...text.matchAll(/\b(input|output)s? `([\w-]+)`/g)].flatMap(
    ([, kind, one = '']) => {
      const known: readonly string[] = kind === 'input' ? MANIFEST.inputs : MANIFEST.outputs
      return known.includes(one) ? [] : [`${name}: ${kind} ${one}`]
    },
  )
  expect(named).toEqual([])
})

describe('a page fails with', () => {
  test.each([
    'hookline biuld',
    'hookline build --chek',
    '--chek',
    'HOOKLINE_NOTHING=1',
    'npm run nothing',
    'src/nowhere.ts',
    'steps.hook.outputs.boddy',
  ])('`%s`', (code) => {
    const page = { name: 'a.md', text: `See \`${code}\`.`, blocks: [] }
    expect(wrong(page)).toHaveLength(1)
  })
})

test.each(Object.keys(ERROR_CODES))('the relay throws %s', (code) => {
  expect(SOURCES).toMatch(new RegExp(`(?:RelayError\\(|: |return )'${code}'`))
})

describe('docs have an anchor for', () => {
  const anchors = new Set(
    PAGES.flatMap(({ text }) => [...text.matchAll(/<a id="([^"]+)">/g)].map(([, id]) => id)),
  )

  test.each([...HELP])('every option of %s', (name, help) => {
    const wanted = optionsOf(help).map(({ flags }) => anchorOf(name, flags))
    expect(wanted.filter((anchor) => !anchors.has(anchor))).toEqual([])
  })

  test('every error code of the relay', () => {
    expect(Object.keys(ERROR_CODES).filter((code) => !anchors.has(code))).toEqual([])
  })

  test('every variable of Hookline', () => {
    const names = Object.keys(SETTINGS)
    expect(names.filter((name) => !anchors.has(name))).toEqual([])
  })
})

test('docs/reference/environment.md lists every variable that a command reads', () => {
  const listed = PAGES.find(({ name }) => name === 'docs/reference/environment.md')?.text ?? ''
  const read = ['cli', 'relay', 'inspector'].flatMap((folder) =>
    readdirSync(`${ROOT}src/${folder}`, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .flatMap((name) => {
        const text = readFileSync(`${ROOT}src/${folder}/${name}`, 'utf8')
        const found = text.matchAll(
          /\benv\.([A-Z][A-Z_]+)\b|\b(HOOKLINE_[A-Z_]+|GH_TOKEN|GITHUB_TOKEN)\b/g,
        )
        return [...found].map(([, one, other]) => one ?? other)
      }),
  )
  expect(read).toEqual(expect.arrayContaining(['HOOKLINE_GITHUB_TOKEN', 'GH_TOKEN', 'PORT']))
  // Only tests set these.
  const names = [...new Set(read)].filter((name) => !name?.startsWith('HOOKLINE_TEST_'))
  expect(names.filter((name) => !listed.includes(`\`${name}\``))).toEqual([])
})
