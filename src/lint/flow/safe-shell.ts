import type { Command, Redirection, SyntaxNode, Word } from 'unbash'
import { wordSet } from '../../wire/words.ts'
import { executedBy } from './commands.ts'
import {
  fixedText,
  nameOfCommand,
  PLACEHOLDER,
  type Placeholder,
  type PlaceholderScript,
  type ShellTree,
  shellTree,
} from './script.ts'

/** The text that replaces an expression, given the name of the variable. */
type Replacement = (variable: string) => string

/**
 * How a variable can replace each expression of a script of bash or sh: only in an argument, or in the
 * input, of a simple command that reads it as data and prints to the log or to such commands.
 * `undefined` for every other expression: there a person has to decide.
 */
export function safeInShell(script: PlaceholderScript): (Replacement | undefined)[] {
  const tree = shellTree(script.text)
  if (!tree || tree.nodes.some(changesMeaning)) return script.placeholders.map(() => undefined)
  // The node that contains each placeholder; `null` if several nodes do.
  const leaves = new Map<string, SyntaxNode | null>()
  for (const node of tree.nodes) {
    for (const [name] of leafText(node)?.matchAll(new RegExp(PLACEHOLDER, 'g')) ?? []) {
      leaves.set(name, leaves.has(name) ? null : node)
    }
  }
  return script.placeholders.map((placeholder) => {
    const leaf = leaves.get(placeholder.name)
    if (leaf === undefined)
      return isInComment(script, tree, placeholder) ? (name) => name : undefined
    const isEscaped = script.text[placeholder.at - 1] === '\\'
    return leaf && !isEscaped ? replacementAt(leaf, tree) : undefined
  })
}

/** Commands that change the meaning of other commands, or the destination of their output. */
const CHANGING = wordSet('. alias builtin command coproc enable eval exec hash source trap unalias')

/** Variables in which a shell stores words of earlier commands, or passes them to others. */
const COMMAND_VARIABLES = /^(?:_|BASH_COMMAND|BASH_ARGV|BASH_XTRACEFD|PROMPT_COMMAND|PS4)$/

function changesMeaning(node: SyntaxNode): boolean {
  switch (node.type) {
    case 'Function':
    case 'Coproc':
      return true
    case 'Command':
      return CHANGING.has(nameOfCommand(node) ?? '')
    case 'Assignment':
      return COMMAND_VARIABLES.test(node.name)
    case 'SimpleExpansion':
      return COMMAND_VARIABLES.test(node.text.slice(1))
    case 'ParameterExpansion':
      return (
        COMMAND_VARIABLES.test(node.parameter) ||
        node.prefix === '!' ||
        node.operation?.type === 'Transform'
      )
    default:
      return false
  }
}

/** The text of a node that has no parts. */
function leafText(node: SyntaxNode): string | undefined {
  switch (node.type) {
    case 'Word':
    case 'HereDocBody':
    case 'Glob':
    case 'BraceExpansion':
    case 'ExtendedGlob':
    case 'ArithmeticWord':
      if (node.parts) return undefined
      return 'text' in node ? node.text : node.value
    case 'Literal':
    case 'SingleQuoted':
    case 'AnsiCQuoted':
    case 'SimpleExpansion':
    case 'HereDocDelimiter':
      return node.text
    default:
      return undefined
  }
}

/** Nodes that can contain comments. */
const COMMENTED = wordSet(
  'Script Statement AndOr CompoundList If Elif While For Case CaseItem Subshell BraceGroup Pipeline Redirected',
)

/** A placeholder after a `#` that begins a word. */
function isInComment(
  { text }: PlaceholderScript,
  { nodes }: ShellTree,
  { at }: Placeholder,
): boolean {
  const line = text.lastIndexOf('\n', at) + 1
  const [mark] = /(?:^|[\s;&|()])#/.exec(text.slice(line, at)) ?? []
  if (mark === undefined) return false
  const hash = line + text.slice(line, at).indexOf(mark) + mark.length - 1
  return !nodes.some((node) => !COMMENTED.has(node.type) && node.pos <= hash && hash < node.end)
}

/** The variable with the quotes that this kind of text needs. */
function replacementAt(leaf: SyntaxNode, tree: ShellTree): Replacement | undefined {
  const around = tree.parents.get(leaf)
  if (!around) return undefined
  if (leaf.type === 'HereDocBody' || around.type === 'HereDocBody') {
    const body = leaf.type === 'HereDocBody' ? leaf : around
    return isSafeText(body, tree) ? (name) => `\${${name}}` : undefined
  }
  if (leaf.type === 'Literal' && around.type === 'DoubleQuoted') {
    return isSafeText(around, tree) ? (name) => `\${${name}}` : undefined
  }
  if (leaf.type === 'SingleQuoted')
    return isSafeText(leaf, tree) ? (name) => `'"\${${name}}"'` : undefined
  const isBare = leaf.type === 'Word' || leaf.type === 'Literal'
  return isBare && isSafeText(leaf, tree) ? (name) => `"\${${name}}"` : undefined
}

/** Whether the command around a part of text reads it as data, and prints it to no other program. */
function isSafeText(part: SyntaxNode, tree: ShellTree): boolean {
  const around = part.type === 'Word' ? part : tree.parents.get(part)
  if (around?.type === 'HereDoc') {
    return around.delimiter?.quoted === false && readsSafely(tree.parents.get(around), tree)
  }
  // The rest of the word must be neither split nor a pattern; the variable will have quotes.
  const plain = ['Literal', 'SingleQuoted', 'DoubleQuoted']
  if (around?.type !== 'Word' || around.parts?.some(({ type }) => !plain.includes(type)))
    return false
  const user = tree.parents.get(around)
  switch (user?.type) {
    case 'Command':
      return readsAsData(user, around) && printsSafely(user, tree)
    case 'HereString':
      return readsSafely(tree.parents.get(user), tree)
    case 'TestBinary':
      // `[[ a == b ]]` compares strings; `-eq` evaluates arithmetic, which can execute an index.
      if (user.operator === '=~') return user.left === around
      return ['=', '==', '!='].includes(user.operator)
    case 'TestUnary':
      return user.operator === '-n' || user.operator === '-z'
    case 'Case':
      return true
    default:
      return false
  }
}

/** Commands that read any input as data. */
const READING = wordSet(
  'base64 cat cksum cut fmt fold grep head jq md5sum nl od rev sha1sum sha256sum sha512sum tail tr wc',
)

function readsSafely(command: SyntaxNode | undefined, tree: ShellTree): boolean {
  return command?.type === 'Command' && isReader(command) && printsSafely(command, tree)
}

function isReader(command: Command): boolean {
  const isPlain = command.prefix.every(({ type }) => type !== 'Assignment')
  return isPlain && READING.has(nameOfCommand(command) ?? '') && !executedBy(command)?.isInput
}

/** Whether a command reads this argument as data. */
function readsAsData(command: Command, word: Word): boolean {
  if (command.prefix.some(({ type }) => type === 'Assignment')) return false
  const args = command.args.flatMap((arg) => (arg.type === 'Word' ? [arg] : []))
  const at = args.indexOf(word)
  const takes = DATA_ARGUMENTS.get(nameOfCommand(command) ?? '')
  return at >= 0 && args.length === command.args.length && (takes?.({ args, at, word }) ?? false)
}

interface Argument {
  readonly args: readonly Word[]
  readonly at: number
  readonly word: Word
}

/** By command, the arguments that it certainly reads as data. */
const DATA_ARGUMENTS: ReadonlyMap<string, (argument: Argument) => boolean> = new Map([
  ['echo', () => true],
  [':', () => true],
  ['true', () => true],
  [
    'printf',
    ({ args, at }: Argument) =>
      at > 0 && /^(?:[^-%]|%%|%-?\d*s)(?:[^%]|%%|%-?\d*s)*$/.test(fixed(args[0])),
  ],
  ['test', ({ args }: Argument) => isPlainTest(args)],
  ['[', ({ args }: Argument) => isPlainTest(args.slice(0, -1))],
  [
    'jq',
    ({ args, at }: Argument) =>
      fixed(args[at - 2]) === '--arg' &&
      args.every((word, index) => index === at || fixedText(word) !== undefined),
  ],
  ['gh', ({ args, at, word }: Argument) => isTextOfGh(args, at, word)],
  ['curl', ({ args, at, word }: Argument) => isDataOfCurl(args, at, word)],
])

function fixed(word: Word | undefined): string {
  return fixedText(word) ?? ''
}

/** Of three words the middle one is the operator, of two words the first one. */
function isPlainTest(args: readonly Word[]): boolean {
  // Each word is exactly one argument for any value of its variables.
  const areSingle = args.every(({ parts = [] }) =>
    parts.every(
      ({ type, text }) =>
        type === 'Literal' ||
        type === 'SingleQuoted' ||
        (type === 'DoubleQuoted' && !/\$(?:@|\{[^}]*@)/.test(text)),
    ),
  )
  if (!areSingle) return false
  if (args.length === 3) return ['=', '==', '!='].includes(fixed(args[1]))
  return args.length === 2 && ['-n', '-z'].includes(fixed(args[0]))
}

/** `gh issue comment 1 --body "…"` */
function isTextOfGh(args: readonly Word[], at: number, word: Word): boolean {
  const isWriting = ['close', 'comment', 'create', 'edit', 'review'].includes(fixed(args[1]))
  if (!isWriting || !['issue', 'pr', 'release'].includes(fixed(args[0])) || at < 2) return false
  const isValue = /^(?:--title|--body|--notes|--comment|-t|-b|-n|-c)$/.test(fixed(args[at - 1]))
  return isValue || /^--(?:title|body|notes|comment)=/.test(fixedPrefix(word))
}

/** `curl --data-raw "…"`; the other options read a file if the value begins with `@`. */
function isDataOfCurl(args: readonly Word[], at: number, word: Word): boolean {
  const option = fixed(args[at - 1])
  const others = args.filter((_, index) => index !== at)
  if (
    others.some((one) =>
      /^(?:-[a-zA-Z]*[oOKcDx]|--(?:output|config|remote|next|proto|proxy|cookie-jar|dump|trace|netrc))/.test(
        one.value,
      ),
    )
  )
    return false
  if (option === '--data-raw') return true
  return /^(?:-d|--data|--data-binary|--json)$/.test(option) && /^[^@<]/.test(fixedPrefix(word))
}

/** The fixed text at the beginning of a word. */
function fixedPrefix(word: Word): string {
  const [first] = word.value.split(PLACEHOLDER)
  return word.value.startsWith('$') ? '' : (first ?? '')
}

/** Nodes in which a command prints to the output of the script. */
const PASSING = wordSet(
  'Statement AndOr CompoundList If Elif While For Case CaseItem Subshell BraceGroup',
)

/**
 * Whether the output of a command is only logged, or read as data: no file, variable or other program
 * gets it. Inside of `"$(…)"`, the rules for the text of a variable apply to the output.
 */
function printsSafely(command: Command, tree: ShellTree): boolean {
  if (!command.redirects.every(isHarmless)) return false
  let below: SyntaxNode = command
  for (let at = tree.parents.get(command); at; at = tree.parents.get(at)) {
    if (at.type === 'Statement' && at.background) return false
    if (at.type === 'Redirected' && !at.redirects.every(isHarmless)) return false
    const before = below.pos
    const later = at.type === 'Pipeline' ? at.commands.filter(({ pos }) => pos > before) : []
    const areReaders = later.every(
      (one) => one.type === 'Command' && isReader(one) && one.redirects.every(isHarmless),
    )
    if (!areReaders) return false
    if (at.type === 'Script') {
      const around = tree.parents.get(at)
      if (!around) return true
      // A `$(…)` in double quotes, at a position where a variable would be safe.
      const quotes = tree.parents.get(around)
      const isExpansion = around.type === 'CommandExpansion' && !around.text.startsWith('`')
      return isExpansion && quotes?.type === 'DoubleQuoted' && isSafeText(quotes, tree)
    }
    if (!PASSING.has(at.type) && at.type !== 'Redirected' && at.type !== 'Pipeline') return false
    below = at
  }
  return false
}

/** Files that no program executes, and that the runner does not read. */
const SHOWN = /^(?:\/dev\/(?:null|stdout|stderr)|"?\$\{?GITHUB_STEP_SUMMARY\}?"?)$/

function isHarmless(redirect: Redirection): boolean {
  if (redirect.type !== 'Redirect' || redirect.operator === '<') return true
  const target = redirect.target?.text ?? ''
  return redirect.operator === '>&' ? /^[12]$/.test(target) : SHOWN.test(target)
}
