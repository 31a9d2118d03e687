import type { Command, Word } from 'unbash'
import { wordSet } from '../wire/words.ts'
import { calledProgram, fixedText } from './script.ts'

/** Commands that print the content of a file. */
export const READERS = wordSet(
  'awk base64 cat cut dd grep head jq od python python3 rev sed sort tac tail tr uniq xxd yq node',
)

/** Programs that read variables, and open files, by names in a program of another language. */
export const INTERPRETERS = wordSet(
  `awk bash bun bunx dash deno eval gawk jq ksh lua mawk node npx perl php pnpm powershell pwsh python
  ruby sh trap tsx uv uvx yq zsh`,
)

/** Commands that print a number or a digest of their input. */
export const DIGESTS = wordSet(
  'cksum md5sum sha1sum sha224sum sha256sum sha384sum sha512sum shasum wc',
)

/** Commands that print what they find by their arguments, and not the arguments. */
export const LOOKUPS = wordSet('curl gh git kubectl wget')

/** Whether a program is one of these, in any version: `python3.12`. */
export function isOneOf(programs: ReadonlySet<string>, name: string): boolean {
  return programs.has(name) || programs.has(name.replace(/[\d.]+$/, ''))
}

/** The parts of a command that it executes as a program, or obeys as a prompt. */
export interface Executed {
  readonly kind: 'program' | 'prompt'
  /** Arguments that are, or contain, a program or a prompt. */
  readonly words: readonly Word[]
  /** Whether standard input is, or is a part of, the program or the prompt. */
  readonly isInput: boolean
}

const SHELLS = wordSet('ash bash dash ksh sh zsh')

/** Languages, with the option that a program follows. */
const LANGUAGES: readonly (readonly [ReadonlySet<string>, RegExp])[] = [
  [SHELLS, /^-[a-z]*c$/],
  [wordSet('su script'), /^(?:-\w*c|--command)$/],
  [wordSet('python pypy'), /^-c$/],
  [wordSet('node bun deno tsx'), /^(?:-[ep]|-pe|--eval|--print)$/],
  [wordSet('perl ruby lua'), /^-\w*[eE]$/],
  [wordSet('php'), /^-r$/],
  [wordSet('pwsh powershell'), /^-(?:c|command)$/i],
]
/** Databases, with the option that a statement follows; without it they read standard input. */
const DATABASES: readonly (readonly [ReadonlySet<string>, RegExp])[] = [
  [wordSet('psql duckdb'), /^(?:-\w*c|--command(?:=.*)?)$/],
  [wordSet('mysql mariadb clickhouse-client'), /^(?:-\w*[eq]|--(?:execute|query)(?:=.*)?)$/],
  [wordSet('mongosh mongo'), /^--eval(?:=.*)?$/],
]
const FILTERS = wordSet('awk gawk jq mawk sed yq')
const AGENTS = wordSet('aider claude codex copilot cursor-agent gemini goose llm opencode')
const AGENT_PACKAGES = /^(?:@anthropic-ai\/claude-code|@openai\/codex|@google\/gemini-cli)(?:@.*)?$/
const STANDARD_INPUT = /^(?:-|\/dev\/(?:stdin|fd\/0)|\/proc\/self\/fd\/0)$/

/** The executed parts of a command; `undefined` for a command that only reads its arguments as data. */
export function executedBy(command: Command): Executed | undefined {
  const { name, args } = calledProgram(command)
  const texts = args.map((word) => fixedText(word))
  const isPackage = /^(?:npx|bunx|pnpm|yarn)$/.test(name)
  const isAgent =
    AGENTS.has(name) || (isPackage && texts.some((text) => AGENT_PACKAGES.test(text ?? '')))
  if (isAgent) return { kind: 'prompt', words: args, isInput: true }
  const [words, isInput] = programOf(command, name, args, texts)
  return words.length > 0 || isInput ? { kind: 'program', words, isInput } : undefined
}

type Texts = readonly (string | undefined)[]
type Program = readonly [words: readonly Word[], isInput: boolean]

function programOf(command: Command, name: string, args: readonly Word[], texts: Texts): Program {
  if (name === 'eval' || name === 'watch' || name === 'parallel') return [args, name === 'parallel']
  if (name === 'trap') return [args.slice(0, 1), false]
  if (name === 'source' || name === '.') return [[], STANDARD_INPUT.test(texts[0] ?? '')]
  if (name === 'ssh') {
    // The remote shell executes the operands after the host; without one, it reads standard input.
    const host = firstOperand(texts, /^-[bcDEeFIiJLlmOopQRSWw]$/)
    const executed = host < 0 ? [] : args.slice(host + 1)
    return [executed, executed.length === 0]
  }
  if (name === 'sqlite3') {
    const [, ...statements] = args.filter((_, at) => !texts[at]?.startsWith('-'))
    return [statements, statements.length === 0]
  }
  if (FILTERS.has(name)) return programOfFilter(name, args, texts)
  const database = DATABASES.find(([names]) => names.has(name))
  if (database) return statementOf(database[1], args, texts)
  const language = LANGUAGES.find(([names]) => isOneOf(names, name))
  if (language) return programOfLanguage(language, command, args, texts)
  // `docker exec app sh -c "…"`: an interpreter among the arguments of another program.
  const at = texts.findIndex((text, index) => {
    const nested = LANGUAGES.find(([names]) => isOneOf(names, text?.replace(/^.*\//, '') ?? ''))
    return nested?.[1].test(texts[index + 1] ?? '')
  })
  return at < 0 ? [[], false] : scriptAt(at + 2, command, args)
}

function programOfLanguage(
  [names, option]: (typeof LANGUAGES)[number],
  command: Command,
  args: readonly Word[],
  texts: Texts,
): Program {
  const at = texts.findIndex((text) => text !== undefined && option.test(text))
  if (at >= 0) return scriptAt(at + 1, command, args)
  if (names.has('su')) return [[], false]
  const isShell = names === SHELLS
  const readsInput = isShell && texts.some((text) => /^-[a-z]*s[a-z]*$/.test(text ?? ''))
  const isModule = !isShell && texts.some((text) => /^-\w*m$/.test(text ?? ''))
  const file = firstOperand(
    texts,
    /^(?:-[a-z]*[oO]|[+]O|-[WXIr]|--(?:rcfile|init-file|require|import|loader))$/,
  )
  return [[], readsInput || (!isModule && (file < 0 || STANDARD_INPUT.test(texts[file] ?? '')))]
}

/** A script among arguments. `xargs -I{} sh -c 'deploy {}'` writes its input into the script. */
function scriptAt(at: number, { name, args }: Command, called: readonly Word[]): Program {
  const script = called.slice(at, at + 1)
  const words = [name, ...args].map((word) => (word?.type === 'Word' ? word.value : ''))
  const xargs = words.findIndex((word) => /(?:^|\/)xargs$/.test(word))
  const options = xargs < 0 ? '' : words.slice(xargs).join(' ')
  const [, mark = '{}'] = /\s(?:-I\s*|--replace=)(\S+)/.exec(options) ?? []
  const replaces = /\s(?:-I|--replace|-i)/.test(options)
  return [script, replaces && script.some(({ value }) => value.includes(mark))]
}

function statementOf(option: RegExp, args: readonly Word[], texts: Texts): Program {
  const isOption = (word: Word | undefined) => option.test(word?.value.split('=', 1)[0] ?? '')
  const executed = args.filter((word, at) => {
    return (isOption(word) && word.value.includes('=')) || isOption(args[at - 1])
  })
  const isFile = texts.some((text) => /^(?:-\w*f|--file)/.test(text ?? ''))
  return [executed, executed.length === 0 && !isFile]
}

/** The first word that is neither an option nor the value of an option. */
function firstOperand(texts: Texts, takesValue: RegExp): number {
  const takesTwo = /^--(?:arg|argjson|slurpfile|rawfile)$/
  return texts.findIndex((text, at) => {
    const [before = '', second = ''] = [texts[at - 1], texts[at - 2]]
    const isValue = takesValue.test(before) || takesTwo.test(before) || takesTwo.test(second)
    return !isValue && !/^[-+]./.test(text ?? '')
  })
}

/** The program of `jq` and `awk` is an argument or a file; for `sed` only the file counts. */
function programOfFilter(name: string, args: readonly Word[], texts: Texts): Program {
  const at = texts.findIndex((text) =>
    /^(?:-[a-zA-Z]*f|--(?:from-)?file|--expression-file)$/.test(text ?? ''),
  )
  // Option and file can be one word: `-f/dev/stdin`, `--file=-`.
  const joined = texts.some((text) =>
    STANDARD_INPUT.test(/^(?:-[a-z]*f|--(?:from-)?file=)(.+)$/.exec(text ?? '')?.[1] ?? ''),
  )
  // jq reads the file from its first operand, at any distance from the option.
  if (at >= 0 || joined)
    return [[], joined || texts.slice(at + 1).some((text) => STANDARD_INPUT.test(text ?? ''))]
  const first = firstOperand(texts, /^(?:-[vFIL]|--(?:indent|tab|assign|field-separator))$/)
  return [name === 'sed' || first < 0 ? [] : args.slice(first, first + 1), false]
}

/** How programs read a variable of the environment; `NAME` stands for it. */
const READS_VARIABLE =
  /(?:environ(?:\.get)?\s*[[(]\s*|getenv\s*\(\s*|ENV(?:\.fetch)?\s*[[({]\s*|process\.env\s*(?:\.|\[\s*)|\$env:|os\.Getenv\(\s*)['"]?(\w+)/g

/** Calls that start a shell, or evaluate their argument. `pattern.exec(…)` only matches. */
const RUNS_SHELL_IN_JAVASCRIPT =
  /(?:\bexecSync|(?:(?<!\.)|\b(?:child_process['"]\)|child_process|cp)\.)\bexec|\bspawn(?:Sync)?|\beval|\bnew Function)(?:\s*\()([^\n;]*)/g
const RUNS_SHELL =
  /(?:\bos\.(?:system|popen)|\bsubprocess\.\w+|\bexec|\beval|\bsystem|\bshell_exec|\bpassthru|\bpopen|\bInvoke-Expression|\biex|\bcmd(?:\.exe)? \/c|\bbash -c)(?:\s*\(|\s)([^\n;]*)/g

const JAVASCRIPT = wordSet('node bun deno tsx')

/**
 * Whether a program of another language passes a variable to a shell, or evaluates it:
 * `os.system(os.environ["N"])`, also by way of one local name.
 *
 * @param language the name of its interpreter; any but JavaScript if it is not known
 */
export function runsVariable(
  program: string,
  isTainted: (name: string) => boolean,
  language = '',
): boolean {
  const reads = (code: string) =>
    [...code.matchAll(READS_VARIABLE)].some(([, name]) => name !== undefined && isTainted(name))
  const locals = [...program.matchAll(/([\w$]+)\s*:?=\s*([^\n;]*)/g)].flatMap(([, local, value]) =>
    local !== undefined && value !== undefined && reads(value) ? [local.replace('$', '')] : [],
  )
  const calls = isOneOf(JAVASCRIPT, language) ? RUNS_SHELL_IN_JAVASCRIPT : RUNS_SHELL
  return [...program.matchAll(calls)].some(([call, args = '']) => {
    // Without a shell, these start a program with a list of arguments.
    const needsShell = /^(?:subprocess|spawn)/.test(call) && !/getoutput|\bcall\(/.test(call)
    if (needsShell && !/shell\s*[=:]\s*(?:true|True)/.test(args)) return false
    return reads(args) || locals.some((local) => new RegExp(`\\b${local}\\b`).test(args))
  })
}
