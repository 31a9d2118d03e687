import type { Command, Word } from 'unbash'
import { isOneOf } from './programs.ts'
import { calledBy, fixedText } from './script.ts'

/** What a command obeys: a program that it runs, or the prompt of a coding agent. */
export interface Obeyed {
  readonly kind: 'program' | 'prompt'
  /** Arguments that are, or hold, a program or a prompt. */
  readonly words: readonly Word[]
  /** True where its standard input is, or is a part of it. */
  readonly isInput: boolean
}

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '))

const SHELLS = words('ash bash dash ksh sh zsh')
/** Languages by the options behind which a program stands. */
const LANGUAGES: readonly (readonly [ReadonlySet<string>, RegExp])[] = [
  [SHELLS, /^-[a-z]*c$/],
  [words('python pypy'), /^-c$/],
  [words('node bun deno tsx'), /^(?:-[ep]|-pe|--eval|--print)$/],
  [words('perl ruby lua'), /^-\w*[eE]$/],
  [words('php'), /^-r$/],
  [words('pwsh powershell'), /^-(?:c|command)$/i],
]
const FILTERS = words('awk gawk jq mawk sed yq')
const AGENTS = words('aider claude codex copilot cursor-agent gemini goose llm opencode')
const AGENT_PACKAGES = /^(?:@anthropic-ai\/claude-code|@openai\/codex|@google\/gemini-cli)(?:@.*)?$/
const STANDARD_INPUT = /^(?:-|\/dev\/(?:stdin|fd\/0)|\/proc\/self\/fd\/0)$/

/** What a command obeys, `undefined` for one that takes all that it is given as text. */
export function obeyedBy(command: Command): Obeyed | undefined {
  const { name, args } = calledBy(command)
  const texts = args.map((word) => fixedText(word))
  const program = (words: readonly Word[], isInput: boolean): Obeyed => {
    return { kind: 'program', words, isInput }
  }
  if (name === 'eval') return program(args, false)
  if (name === 'source' || name === '.') return program([], isStandardInput(texts[0]))
  if (isAgent(name, texts)) return { kind: 'prompt', words: args, isInput: true }
  if (FILTERS.has(name)) return program(...filterOf(name, args, texts))
  const language = LANGUAGES.find(([names]) => isOneOf(names, name))
  if (!language) return undefined
  const [names, option] = language
  const at = texts.findIndex((text) => text !== undefined && option.test(text))
  if (at >= 0) return program(args.slice(at + 1, at + 2), false)
  const isShell = names === SHELLS
  if (isShell && texts.some((text) => /^-[a-z]*s[a-z]*$/.test(text ?? ''))) return program([], true)
  if (texts.some((text) => /^-\w*m$/.test(text ?? '')) && !isShell) return undefined
  const script = texts.find((_, index) => isOperand(texts, index))
  const hasScript = texts.some((_, index) => isOperand(texts, index))
  return program([], !hasScript || isStandardInput(script))
}

/** Options of shells and others that take the word behind them. */
const TAKES_ONE = /^(?:-[a-z]*[oO]|[+]O|-[WXIr]|--(?:rcfile|init-file|require|import|loader))$/

function isOperand(texts: readonly (string | undefined)[], at: number): boolean {
  const text = texts[at]
  if (text !== undefined && /^[-+]./.test(text)) return false
  return !TAKES_ONE.test(texts[at - 1] ?? '')
}

function isStandardInput(text: string | undefined): boolean {
  return text !== undefined && STANDARD_INPUT.test(text)
}

/** The program of `jq` and `awk`, an argument or a file; `sed` is asked for the file alone. */
function filterOf(
  name: string,
  args: readonly Word[],
  texts: readonly (string | undefined)[],
): [words: readonly Word[], isInput: boolean] {
  const FILE = /^(?:-[a-zA-Z]*f|--(?:from-)?file|--expression-file)$/
  const at = texts.findIndex((text) => text !== undefined && FILE.test(text))
  // As one word, too: `-f/dev/stdin`, `--file=-`.
  const joined = texts.some((text) =>
    isStandardInput(/^(?:-[a-z]*f|--(?:from-)?file=)(.+)$/.exec(text ?? '')?.[1]),
  )
  // jq takes the file as its first operand, wherever the option stands.
  const isNamed = at >= 0 && texts.slice(at + 1).some(isStandardInput)
  if (at >= 0 || joined) return [[], isNamed || joined]
  if (name === 'sed') return [[], false]
  const first = args.findIndex((_, index) => isOperandOfFilter(texts, index))
  return [first < 0 ? [] : args.slice(first, first + 1), false]
}

/** Words behind options that take one or two. */
function isOperandOfFilter(texts: readonly (string | undefined)[], at: number): boolean {
  if (texts[at]?.startsWith('-')) return false
  const isNamedValue = /^--(?:arg|argjson|slurpfile|rawfile)$/
  if (isNamedValue.test(texts[at - 1] ?? '') || isNamedValue.test(texts[at - 2] ?? '')) return false
  return !/^(?:-[vFIL]|--(?:indent|tab|assign|field-separator))$/.test(texts[at - 1] ?? '')
}

function isAgent(name: string, texts: readonly (string | undefined)[]): boolean {
  if (AGENTS.has(name)) return true
  return (
    /^(?:npx|bunx|pnpm|yarn)$/.test(name) && texts.some((one) => AGENT_PACKAGES.test(one ?? ''))
  )
}

/** Words of a script in which such a command may stand: without one, nobody needs to read it. */
export const MAY_OBEY =
  /\b(?:eval|source|\w*sh|pypy|python|node|bun|deno|tsx|perl|ruby|lua|php|\w*awk|jq|sed|yq|powershell|aider|claude|claude-code|codex|copilot|cursor-agent|gemini|gemini-cli|goose|llm|opencode)\d*(?:\.\d+)*\b|(?:^|[\s;&|])(?:\.\s|"?\$)/m
