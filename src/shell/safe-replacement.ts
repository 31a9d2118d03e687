import type { Command, Redirection, Word, WordPart } from 'unbash'
import { wordSet } from '../wire/words.ts'
import {
  fixedText,
  PLACEHOLDER,
  type PlaceholderScript,
  type ShellTree,
  shellTree,
} from './script.ts'

/** The text that replaces an expression, given the name of the variable. */
type Replacement = (variable: string) => string

/**
 * How a variable can replace each expression of a script of bash or sh: only in an argument that
 * `echo`, `printf` or `gh` reads as data and prints to the log, the summary or GitHub. `undefined` for
 * every other expression: there a person has to decide.
 */
export function safeInShell(script: PlaceholderScript): (Replacement | undefined)[] {
  const tree = shellTree(script.text)
  const safe = new Map<string, Replacement>()
  for (const node of CHANGING.test(script.text) ? [] : (tree?.nodes ?? [])) {
    if (!tree || node.type !== 'Command' || !printsSafely(node, tree)) continue
    for (const [at, word] of node.args.entries()) {
      if (word.type !== 'Word' || !readsAsData(node, at)) continue
      for (const [name, replacement] of replacementsIn(word)) safe.set(name, replacement)
    }
  }
  return script.placeholders.map(({ name, at }) =>
    script.text[at - 1] === '\\' ? undefined : safe.get(name),
  )
}

/** Words that change the meaning of other commands, or that run the words of earlier commands. */
const CHANGING =
  /(?:^|[\s;&|(])(?:alias|builtin|command|coproc|enable|eval|exec|function|hash|source|trap|unalias)\s|(?:^|[;&|({]|\b(?:do|else|then)\b)\s*\.\s|\(\s*\)|\b(?:PS4|PROMPT_COMMAND|BASH_\w+)\b|\$\{?_\b|\$\{!|@P\}/m

/** Each placeholder in the text of a word, with the quotes that the variable needs there. */
function replacementsIn(
  part: Word | WordPart,
  quote = '"',
): (readonly [name: string, Replacement])[] {
  if (part.type === 'Word' && part.parts) return part.parts.flatMap((one) => replacementsIn(one))
  if (part.type === 'DoubleQuoted') return part.parts.flatMap((one) => replacementsIn(one, ''))
  if (part.type !== 'Word' && part.type !== 'Literal' && part.type !== 'SingleQuoted') return []
  // A text in single quotes ends before the variable, and begins again after it.
  const around = part.type === 'SingleQuoted' ? "'" : ''
  const names = part.text.match(new RegExp(PLACEHOLDER, 'g')) ?? []
  return names.map((name) => [
    name,
    (variable) => `${around}${quote}\${${variable}}${quote}${around}`,
  ])
}

/** Whether a command certainly reads an argument as data. */
function readsAsData({ name, args, prefix }: Command, at: number): boolean {
  if (prefix.some(({ type }) => type === 'Assignment')) return false
  const words = args.map((arg) => (arg.type === 'Word' ? (fixedText(arg) ?? '') : ''))
  switch (fixedText(name)) {
    case 'echo':
      return true
    case 'printf':
      return at > 0 && /^(?:[^-%]|%%|%-?\d*s)(?:[^%]|%%|%-?\d*s)*$/.test(words[0] ?? '')
    case 'gh': {
      const [group = '', action = ''] = words
      const isWriting = /^(?:close|comment|create|edit|review)$/.test(action)
      const isText = /^(?:--title|--body|--notes|--comment|-t|-b|-n|-c)$/.test(words[at - 1] ?? '')
      return /^(?:issue|pr|release)$/.test(group) && isWriting && at > 2 && isText
    }
    default:
      return false
  }
}

/** Nodes in which a command prints to the output of the script. */
const PASSING = wordSet(
  'Script Statement AndOr CompoundList If Elif While For Case CaseItem Subshell BraceGroup',
)

/** Whether no file, variable or other program gets the output of a command. */
function printsSafely(command: Command, { parents }: ShellTree): boolean {
  if (!command.redirects.every(isHarmless) || fixedText(command.name) === undefined) return false
  for (let at = parents.get(command); at; at = parents.get(at)) {
    if (at.type === 'Redirected' && at.redirects.every(isHarmless)) continue
    if (!PASSING.has(at.type) || (at.type === 'Statement' && at.background)) return false
  }
  return true
}

/** Files that no program executes, and that the runner does not read. */
const SHOWN = /^(?:\/dev\/(?:null|stdout|stderr)|"?\$\{?GITHUB_STEP_SUMMARY\}?"?)$/

function isHarmless(redirect: Redirection): boolean {
  if (redirect.type !== 'Redirect' || redirect.operator === '<') return false
  const target = redirect.target?.text ?? ''
  return redirect.operator === '>&' ? /^[12]$/.test(target) : SHOWN.test(target)
}
