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

/** Sets of `tr` with letters, digits and plain characters; a range such as A-z contains quotes. */
export const PLAIN_SET =
  /^(?:a-z|A-Z|0-9|\[:(?:alnum|alpha|digit|lower|upper):\]|[\w .:](?!-.))+-?$/

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
  const program = (executed: readonly Word[], isInput: boolean): Executed => {
    return { kind: 'program', words: executed, isInput }
  }
  if (name === 'eval' || name === 'watch' || name === 'parallel') {
    return program(args, name === 'parallel')
  }
  if (name === 'trap') return program(args.slice(0, 1), false)
  if (name === 'source' || name === '.') return program([], isStandardInput(texts[0]))
  if (isAgent(name, texts)) return { kind: 'prompt', words: args, isInput: true }
  if (name === 'ssh') return program(...remoteCommand(args, texts))
  if (name === 'sqlite3') return program(...statementOfSqlite(args, texts))
  if (FILTERS.has(name)) return program(...programOfFilter(name, args, texts))
  const database = DATABASES.find(([names]) => names.has(name))
  if (database) return program(...statementOf(database[1], args, texts))
  const language = LANGUAGES.find(([names]) => isOneOf(names, name))
  return language ? programOf(language, command, args, texts) : nested(command, args, texts)
}

type Texts = readonly (string | undefined)[]
type Parts = [executed: readonly Word[], isInput: boolean]

function programOf(
  [names, option]: (typeof LANGUAGES)[number],
  command: Command,
  args: readonly Word[],
  texts: Texts,
): Executed | undefined {
  const at = texts.findIndex((text) => text !== undefined && option.test(text))
  if (at >= 0) {
    const script = args[at + 1]
    return {
      kind: 'program',
      words: args.slice(at + 1, at + 2),
      isInput: isFilledIn(command, script),
    }
  }
  const isShell = names === SHELLS
  const program = (isInput: boolean): Executed => ({ kind: 'program', words: [], isInput })
  if (isShell && texts.some((text) => /^-[a-z]*s[a-z]*$/.test(text ?? ''))) return program(true)
  if (!isShell && texts.some((text) => /^-\w*m$/.test(text ?? ''))) return undefined
  const operand = texts.findIndex((_, index) => isOperand(texts, index))
  if (names.has('su')) return undefined
  return program(operand < 0 || isStandardInput(texts[operand]))
}

/** `xargs -I{} sh -c 'deploy {}'`: xargs writes its input into the script. */
function isFilledIn(command: Command, script: Word | undefined): boolean {
  const all = [command.name, ...command.args].map((word) => wordText(word))
  const at = all.findIndex((text) => /(?:^|\/)xargs$/.test(text))
  const option = all.slice(at + 1).join(' ')
  const [, mark = '{}'] = /(?:^|\s)(?:-I\s*|--replace=)(\S+)/.exec(option) ?? []
  const replaces = /(?:^|\s)(?:-I|--replace|-i)/.test(option)
  return at >= 0 && replaces && wordText(script).includes(mark)
}

function wordText(word: Command['name'] | Command['args'][number]): string {
  return word?.type === 'Word' ? word.value : ''
}

/** `docker exec app sh -c "…"`: an interpreter among the arguments of another program. */
function nested(command: Command, args: readonly Word[], texts: Texts): Executed | undefined {
  for (const [at, text] of texts.entries()) {
    const name = text?.replace(/^.*\//, '') ?? ''
    const language = LANGUAGES.find(([names]) => isOneOf(names, name))
    const option = texts[at + 1]
    if (language && option !== undefined && language[1].test(option)) {
      const script = args[at + 2]
      const executed = script ? [script] : []
      return { kind: 'program', words: executed, isInput: isFilledIn(command, script) }
    }
  }
  return undefined
}

/** The remote shell executes the operands after the host; without one, it reads standard input. */
function remoteCommand(args: readonly Word[], texts: Texts): Parts {
  const host = texts.findIndex(
    (text, at) => !text?.startsWith('-') && !/^-[bcDEeFIiJLlmOopQRSWw]$/.test(texts[at - 1] ?? ''),
  )
  const executed = host < 0 ? [] : args.slice(host + 1)
  return [executed, executed.length === 0]
}

/** The second operand of sqlite3 is a statement. */
function statementOfSqlite(args: readonly Word[], texts: Texts): Parts {
  const operands = args.filter((_, at) => !texts[at]?.startsWith('-'))
  return [operands.slice(1), operands.length < 2]
}

function statementOf(option: RegExp, args: readonly Word[], texts: Texts): Parts {
  const isOption = (word: Word | undefined) => option.test(word?.value.split('=', 1)[0] ?? '')
  const executed = args.filter((word, at) => {
    return (isOption(word) && word.value.includes('=')) || isOption(args[at - 1])
  })
  const isFile = texts.some((text) => /^(?:-\w*f|--file)/.test(text ?? ''))
  return [executed, executed.length === 0 && !isFile]
}

/** Options of interpreters that the next word belongs to. */
const TAKES_ONE = /^(?:-[a-z]*[oO]|[+]O|-[WXIr]|--(?:rcfile|init-file|require|import|loader))$/

function isOperand(texts: Texts, at: number): boolean {
  const text = texts[at]
  if (text !== undefined && /^[-+]./.test(text)) return false
  return !TAKES_ONE.test(texts[at - 1] ?? '')
}

function isStandardInput(text: string | undefined): boolean {
  return text !== undefined && STANDARD_INPUT.test(text)
}

/** The program of `jq` and `awk` is an argument or a file; for `sed` only the file counts. */
function programOfFilter(name: string, args: readonly Word[], texts: Texts): Parts {
  const FILE = /^(?:-[a-zA-Z]*f|--(?:from-)?file|--expression-file)$/
  const at = texts.findIndex((text) => text !== undefined && FILE.test(text))
  // Option and file can be one word: `-f/dev/stdin`, `--file=-`.
  const joined = texts.some((text) =>
    isStandardInput(/^(?:-[a-z]*f|--(?:from-)?file=)(.+)$/.exec(text ?? '')?.[1]),
  )
  // jq reads the file from its first operand, at any distance from the option.
  const isNamed = at >= 0 && texts.slice(at + 1).some(isStandardInput)
  if (at >= 0 || joined) return [[], isNamed || joined]
  if (name === 'sed') return [[], false]
  const first = args.findIndex((_, index) => isOperandOfFilter(texts, index))
  return [first < 0 ? [] : args.slice(first, first + 1), false]
}

/** Skips the words that belong to an option. */
function isOperandOfFilter(texts: Texts, at: number): boolean {
  if (texts[at]?.startsWith('-')) return false
  const isNamedValue = /^--(?:arg|argjson|slurpfile|rawfile)$/
  if (isNamedValue.test(texts[at - 1] ?? '') || isNamedValue.test(texts[at - 2] ?? '')) return false
  return !/^(?:-[vFIL]|--(?:indent|tab|assign|field-separator))$/.test(texts[at - 1] ?? '')
}

function isAgent(name: string, texts: Texts): boolean {
  if (AGENTS.has(name)) return true
  const runsPackage = /^(?:npx|bunx|pnpm|yarn)$/.test(name)
  return runsPackage && texts.some((text) => AGENT_PACKAGES.test(text ?? ''))
}

/** Words that such a command contains: a script without them needs no parser. */
export const MAY_EXECUTE =
  /\b(?:eval|source|trap|watch|parallel|xargs|ssh|su|script|psql|duckdb|mysql|mariadb|clickhouse-client|mongosh?|sqlite3|\w*sh|pypy|python|node|bun|deno|tsx|perl|ruby|lua|php|\w*awk|jq|sed|yq|powershell|aider|claude|claude-code|codex|copilot|cursor-agent|gemini|gemini-cli|goose|llm|opencode)\d*(?:\.\d+)*\b|(?:^|[\s;&|])(?:\.\s|"?\$)/m

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
