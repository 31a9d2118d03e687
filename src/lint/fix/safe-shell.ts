import type { Command, Redirection, SyntaxNode, Word } from 'unbash'
import { obeyedBy } from '../flow/obeyed.ts'
import {
  fixedText,
  nameOfCommand,
  PLACEHOLDER,
  type Placeholder,
  type Script,
  type ShellTree,
  shellTree,
} from '../flow/script.ts'

/** What stands in the place of an expression, given the variable's name. */
type Replacement = (variable: string) => string

/**
 * How each expression of a script of bash or sh can be a variable instead, so that its value is text
 * for sure: an argument, or the input, of a simple command that is known to take it as text, and
 * whose output goes to nothing but the log or other such commands. `undefined` for all other places,
 * whatever they are: there a person has to look.
 */
export function safeInShell(script: Script): (Replacement | undefined)[] {
  const tree = shellTree(script.text)
  if (!tree || tree.nodes.some(changesMeaning)) return script.placeholders.map(() => undefined)
  // The part of text that holds each name; `null` for one that stands in several.
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

/** Commands that change what the names of other commands mean, or where their output goes. */
const CHANGING = words('. alias builtin command coproc enable eval exec hash source trap unalias')

/** Names under which a shell keeps words of earlier commands, or hands them on. */
const KEPT_WORDS = /^(?:_|BASH_COMMAND|BASH_ARGV|BASH_XTRACEFD|PROMPT_COMMAND|PS4)$/

function words(text: string): ReadonlySet<string> {
  return new Set(text.split(' '))
}

function changesMeaning(node: SyntaxNode): boolean {
  switch (node.type) {
    case 'Function':
    case 'Coproc':
      return true
    case 'Command':
      return CHANGING.has(nameOfCommand(node) ?? '')
    case 'Assignment':
      return KEPT_WORDS.test(node.name)
    case 'SimpleExpansion':
      return KEPT_WORDS.test(node.text.slice(1))
    case 'ParameterExpansion':
      return (
        KEPT_WORDS.test(node.parameter) ||
        node.prefix === '!' ||
        node.operation?.type === 'Transform'
      )
    default:
      return false
  }
}

/** Nodes that hold text, and no part with a node of its own. */
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

/** Nodes in which a comment can stand. */
const COMMENTED = words(
  'Script Statement AndOr CompoundList If Elif While For Case CaseItem Subshell BraceGroup Pipeline Redirected',
)

/** A name that no node of text holds, behind a `#` that begins a word. */
function isInComment({ text }: Script, { nodes }: ShellTree, { at }: Placeholder): boolean {
  const line = text.lastIndexOf('\n', at) + 1
  const [mark] = /(?:^|[\s;&|()])#/.exec(text.slice(line, at)) ?? []
  if (mark === undefined) return false
  const hash = line + text.slice(line, at).indexOf(mark) + mark.length - 1
  return !nodes.some((node) => !COMMENTED.has(node.type) && node.pos <= hash && hash < node.end)
}

/** Quotes as they must stand round the variable in this kind of text. */
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

/** Whether what a part of text stands in takes it as text, and hands it on to nobody who would not. */
function isSafeText(part: SyntaxNode, tree: ShellTree): boolean {
  const around = part.type === 'Word' ? part : tree.parents.get(part)
  if (around?.type === 'HereDoc') {
    return around.delimiter?.quoted === false && readsSafely(tree.parents.get(around), tree)
  }
  // A word that is not split and no pattern, but for what the variable itself will have in quotes.
  const plain = ['Literal', 'SingleQuoted', 'DoubleQuoted']
  if (around?.type !== 'Word' || around.parts?.some(({ type }) => !plain.includes(type)))
    return false
  const user = tree.parents.get(around)
  switch (user?.type) {
    case 'Command':
      return takesAsText(user, around) && printsSafely(user, tree)
    case 'HereString':
      return readsSafely(tree.parents.get(user), tree)
    case 'TestBinary':
      // `[[ a == b ]]` compares; `-eq` calculates, and so runs what stands in an index.
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

/** Commands that take their input as text, whatever it is. */
const READING = words(
  'base64 cat cksum cut fmt fold grep head jq md5sum nl od rev sha1sum sha256sum sha512sum tail tr wc',
)

function readsSafely(command: SyntaxNode | undefined, tree: ShellTree): boolean {
  return command?.type === 'Command' && isReader(command) && printsSafely(command, tree)
}

function isReader(command: Command): boolean {
  const isPlain = command.prefix.every(({ type }) => type !== 'Assignment')
  return isPlain && READING.has(nameOfCommand(command) ?? '') && !obeyedBy(command)?.isInput
}

/** Whether a command takes an argument as text in this place. */
function takesAsText(command: Command, word: Word): boolean {
  if (command.prefix.some(({ type }) => type === 'Assignment')) return false
  const args = command.args.flatMap((arg) => (arg.type === 'Word' ? [arg] : []))
  const at = args.indexOf(word)
  const takes = TAKING.get(nameOfCommand(command) ?? '')
  return at >= 0 && args.length === command.args.length && (takes?.({ args, at, word }) ?? false)
}

interface Argument {
  readonly args: readonly Word[]
  readonly at: number
  readonly word: Word
}

/** By the name of a command, the arguments that it surely takes as text. */
const TAKING: ReadonlyMap<string, (argument: Argument) => boolean> = new Map([
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

/** Of three words the one between decides, of two the first, whatever the others are. */
function isPlainTest(args: readonly Word[]): boolean {
  // Each word is one argument, whatever stands in its variables.
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

/** `gh issue comment 1 --body "…"`: what a person would type there. */
function isTextOfGh(args: readonly Word[], at: number, word: Word): boolean {
  const isWriting = ['close', 'comment', 'create', 'edit', 'review'].includes(fixed(args[1]))
  if (!isWriting || !['issue', 'pr', 'release'].includes(fixed(args[0])) || at < 2) return false
  const isValue = /^(?:--title|--body|--notes|--comment|-t|-b|-n|-c)$/.test(fixed(args[at - 1]))
  return isValue || /^--(?:title|body|notes|comment)=/.test(leading(word))
}

/** `curl --data-raw "…"`; the other options read a file where the value begins with `@`. */
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
  return /^(?:-d|--data|--data-binary|--json)$/.test(option) && /^[^@<]/.test(leading(word))
}

/** The text with which a word begins, before anything of a sender's. */
function leading(word: Word): string {
  const [first] = word.value.split(PLACEHOLDER)
  return word.value.startsWith('$') ? '' : (first ?? '')
}

/** Nodes in which a command prints to where the script does. */
const PASSING = words(
  'Statement AndOr CompoundList If Elif While For Case CaseItem Subshell BraceGroup',
)

/**
 * Whether all that a command prints is only shown, or read as text: no file keeps it, no variable,
 * and no other program. Its own text within `"$(…)"` has the same rules as the text of a variable.
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
      // A `$(…)` that stands in double quotes where a variable would be safe.
      const quotes = tree.parents.get(around)
      const isExpansion = around.type === 'CommandExpansion' && !around.text.startsWith('`')
      return isExpansion && quotes?.type === 'DoubleQuoted' && isSafeText(quotes, tree)
    }
    if (!PASSING.has(at.type) && at.type !== 'Redirected' && at.type !== 'Pipeline') return false
    below = at
  }
  return false
}

/** Files that nobody runs, and that the runner does not obey. */
const SHOWN = /^(?:\/dev\/(?:null|stdout|stderr)|"?\$\{?GITHUB_STEP_SUMMARY\}?"?)$/

function isHarmless(redirect: Redirection): boolean {
  if (redirect.type !== 'Redirect' || redirect.operator === '<') return true
  const target = redirect.target?.text ?? ''
  return redirect.operator === '>&' ? /^[12]$/.test(target) : SHOWN.test(target)
}
