import type { Command, CommandExpansionPart, Redirection, SyntaxNode } from 'unbash'
import type { Span } from '../../workflow/spans.ts'
import {
  COPIERS,
  DIGESTS,
  type Executed,
  executedBy,
  INTERPRETERS,
  isOneOf,
  MAY_EXECUTE,
  PLAIN_SET,
  PRINTERS,
  READERS,
  runsVariable,
  WRITERS,
} from './commands.ts'
import { namesWithinMarks, printedLines, randomMarks } from './marks.ts'
import {
  calledProgram,
  childrenOf,
  fixedText,
  nameOfCommand,
  PLACEHOLDER,
  type PlaceholderScript,
  type ShellTree,
  shellTree,
} from './script.ts'
import { checkedRanges } from './shell-checks.ts'
import type { CountedEvents } from './taint.ts'

/** Where a step writes untrusted input for later steps, or executes it. */
export interface Writes {
  /** Whether an output contains it; then every output may, since each line of it can be an output. */
  readonly outputs: boolean
  /** Variables of later steps, in lower case. */
  readonly variables: readonly string[] | 'any'
  /** Writes in which a line break sets another variable, or a folder of programs, for later steps. */
  readonly unbounded: readonly Span[]
  /** Writes that set only the variable that they name. */
  readonly assigned: readonly (Span & { readonly name: string })[]
  /** Commands that execute it as a program, or obey it as the prompt of an agent. */
  readonly executed: readonly (Span & Pick<Executed, 'kind'>)[]
}

export const NO_WRITES: Writes = {
  outputs: false,
  variables: [],
  unbounded: [],
  assigned: [],
  executed: [],
}

/** The expressions and variables that contain untrusted input. */
interface Tainted {
  isTainted(expression: string): boolean
  /** `undefined` asks for any of them. */
  isTaintedVariable(name: string | undefined): boolean
}

const OUTPUTS = /GITHUB_OUTPUT\b|::set-output/
const VARIABLES = /GITHUB_(?:ENV|PATH)\b|\$\{!/
/** How a script of github-script reads these events. */
const PAYLOADS: Readonly<Record<CountedEvents, RegExp>> = {
  all: /\bpayload\b/,
  webhooks: /\bclient_payload\b|\bhookline\b/,
  calls: /\bhookline\b/,
}
const PATHS = /^\s*github\.(?:env|output|path)\s*$/i

/** Follows a script of a `run:` step. @param isPosixShell whether bash or sh may run it */
export function scriptWrites(
  script: PlaceholderScript,
  isPosixShell: boolean,
  tainted: Tainted,
): Writes {
  const { text } = script
  const isWriting = OUTPUTS.test(text) || VARIABLES.test(text)
  const isNamed = script.placeholders.some(({ expression }) => PATHS.test(expression))
  const mayExecute = MAY_EXECUTE.test(text) && readsUntrusted(script, tainted)
  if (!isWriting && !isNamed && !mayExecute) return NO_WRITES
  const tree = isPosixShell ? shellTree(text) : undefined
  if (tree) return new ShellFlow(script, tree, tainted).writes()
  return isWriting || isNamed ? writesByWords(script, tainted) : NO_WRITES
}

/** A script in another language than that of a POSIX shell. */
export function programWrites(script: PlaceholderScript, tainted: Tainted): Writes {
  const { text } = script
  const isTainted = (name: string) => tainted.isTaintedVariable(name)
  const span = { start: 0, end: text.trimEnd().length, kind: 'program' as const }
  const executed = runsVariable(text, isTainted) ? [span] : []
  const isWriting = OUTPUTS.test(text) || VARIABLES.test(text)
  return { ...(isWriting ? writesByWords(script, tainted) : NO_WRITES), executed }
}

/** For a script that cannot be parsed: everything that it reads may reach everything that it writes. */
function writesByWords(script: PlaceholderScript, tainted: Tainted): Writes {
  if (!readsUntrusted(script, tainted)) return NO_WRITES
  const at = script.text.search(VARIABLES)
  const unbounded = at < 0 ? [] : [{ start: at, end: at + 'GITHUB_ENV'.length }]
  const outputs = OUTPUTS.test(script.text)
  return { ...NO_WRITES, outputs, variables: at < 0 ? [] : 'any', unbounded }
}

function readsUntrusted({ text, placeholders }: PlaceholderScript, tainted: Tainted): boolean {
  const words = new Set(text.match(/[A-Za-z_]\w*/g))
  return (
    placeholders.some(({ expression }) => tainted.isTainted(expression)) ||
    [...words].some((word) => word === 'GITHUB_EVENT_PATH' || tainted.isTaintedVariable(word))
  )
}

/**
 * Follows a script of github-script. Its library writes values with random marks around them.
 *
 * @param events whose fields count
 */
export function githubScriptWrites(
  script: PlaceholderScript,
  tainted: Tainted,
  events: CountedEvents,
): Writes {
  const { text } = script
  const readsEvent = PAYLOADS[events].test(text) || readsUntrusted(script, tainted)
  if (!readsEvent) return NO_WRITES
  const exported = [...text.matchAll(/\bexportVariable\s*\(\s*(?:'(\w+)'|"(\w+)")?/g)]
  const names = exported.map(([, one, other]) => one ?? other)
  const assigned = exported.flatMap(({ 1: one, 2: other, 0: call, index }) => {
    const name = one ?? other
    return name === undefined ? [] : [{ name, start: index, end: index + call.length }]
  })
  const known = assigned.map(({ name }) => name.toLowerCase())
  const isAny = known.length < names.length || VARIABLES.test(text)
  const unbounded = [...text.matchAll(/\b(?:addPath|exportVariable)\s*\(\s*(?!(['"`])[^'"`$]*\1)/g)]
  return {
    outputs: true,
    variables: isAny ? 'any' : known,
    unbounded: unbounded.map(({ index, 0: call }) => ({ start: index, end: index + call.length })),
    assigned,
    executed: programWrites(script, tainted).executed,
  }
}

type RunnerFile = 'output' | 'env' | 'path'

const RUNNER_FILES: ReadonlyMap<string, RunnerFile> = new Map([
  ['GITHUB_OUTPUT', 'output'],
  ['GITHUB_ENV', 'env'],
  ['GITHUB_PATH', 'path'],
])

/** A write of untrusted input into a file of the runner. */
interface Written {
  readonly file: RunnerFile
  readonly node: SyntaxNode
  /** Whether a random mark ends the value, so that no line of it can set another variable. */
  readonly isBounded: boolean
  /** The variables that are set, as they are written; `any` if the script does not show them. */
  readonly variables: readonly string[] | 'any'
}

/** Follows untrusted input through the variables and files of one script, in the order of its lines. */
class ShellFlow {
  readonly #tree: ShellTree
  readonly #script: PlaceholderScript
  readonly #tainted: Tainted
  readonly #expressions: ReadonlySet<number>
  readonly #variables = new Set<string>()
  /** Variables that contain the path of a file that the runner reads. */
  readonly #paths = new Map<string, string>()
  readonly #marks: ReadonlySet<string>
  /** Ranges of the script in which a variable has passed a check. */
  readonly #checked: ReadonlyMap<string, readonly Span[]>
  #inFiles = false
  /** Whether a function of the script reads untrusted input from its callers. */
  #readsInFunction = false

  constructor(script: PlaceholderScript, tree: ShellTree, tainted: Tainted) {
    this.#script = script
    this.#tree = tree
    this.#tainted = tainted
    const untrusted = script.placeholders.flatMap(({ expression }, at) =>
      tainted.isTainted(expression) || /\bevent_path\b/i.test(expression) ? [at] : [],
    )
    this.#expressions = new Set(untrusted)
    this.#checked = checkedRanges(tree, (node) => this.#textOf(node))
    this.#marks = randomMarks(
      tree,
      (node) => this.#textOf(node),
      (name) => tainted.isTaintedVariable(name),
    )
  }

  writes(): Writes {
    // The second pass follows values that a loop carries to earlier lines.
    for (const node of [...this.#tree.nodes, ...this.#tree.nodes]) this.#assign(node)
    const found = this.#tree.nodes.flatMap((node) => this.#written(node))
    const names = found.flatMap(({ variables }) => variables)
    const bounded = found.filter(({ isBounded }) => isBounded)
    return {
      outputs: found.some(({ file }) => file === 'output'),
      variables: names.includes('any') ? 'any' : names.map((name) => name.toLowerCase()),
      unbounded: found.flatMap(({ node, isBounded, file }) =>
        file === 'output' || isBounded ? [] : [{ start: node.pos, end: node.end }],
      ),
      assigned: bounded.flatMap(({ node, variables }) =>
        [variables].flat().map((name) => ({ name, start: node.pos, end: node.end })),
      ),
      executed: this.#tree.nodes.flatMap((node) => this.#executed(node)),
    }
  }

  /** A command that executes untrusted input of its arguments, or of its standard input. */
  #executed(node: SyntaxNode): Writes['executed'] {
    if (node.type !== 'Command') return []
    const span = { start: node.pos, end: node.end }
    // The callers of a function wrote `"$@"`.
    const isNamed = node.name && !/^"?\$\{?[@*\d]/.test(this.#textOf(node.name))
    if (isNamed && node.name && this.#holds(node.name)) return [{ ...span, kind: 'program' }]
    const isTainted = (name: string) => this.#isTaintedVariable(name, node.pos)
    const isInterpreter = isOneOf(INTERPRETERS, calledProgram(node).name)
    if (isInterpreter && runsVariable(this.#programOf(node), isTainted)) {
      return [{ ...span, kind: 'program' }]
    }
    const executed = executedBy(node)
    if (!executed) return []
    const { kind, words, isInput } = executed
    const isArgument = words.some((word) => this.#holds(word))
    const isRead = isInput && this.#inputOf(node).some((part) => this.#holds(part))
    return isArgument || isRead ? [{ ...span, kind }] : []
  }

  /** The input of a command: its here-documents and files, and the commands before it in a pipe. */
  #inputOf(command: Command): SyntaxNode[] {
    const own = command.redirects.filter(({ operator }) => operator.startsWith('<'))
    let below: SyntaxNode = command
    for (let at = this.#tree.parents.get(command); at; at = this.#tree.parents.get(at)) {
      if (at.type === 'Redirected') return [...own, ...at.redirects]
      const { pos } = below
      if (at.type === 'Pipeline') return [...own, ...at.commands.filter((one) => one.pos < pos)]
      below = at
    }
    return own
  }

  /** Records which variables and files contain untrusted input after a node. */
  #assign(node: SyntaxNode): void {
    if (node.type === 'Assignment') {
      const path = /GITHUB_(?:ENV|OUTPUT|PATH)\b/.exec(this.#textOf(node.value))?.[0]
      if (path) this.#paths.set(node.name, path)
      if (this.#holds(node.value)) this.#variables.add(node.name)
    }
    if (
      (node.type === 'For' || node.type === 'Select') &&
      node.wordlist?.some((word) => this.#holds(word))
    ) {
      this.#variables.add(node.name.value)
    }
    if (node.type === 'TestBinary' && node.operator === '=~' && this.#holds(node.left)) {
      this.#variables.add('BASH_REMATCH')
    }
    if (node.type === 'ParameterExpansion' && node.operation?.type === 'Default') {
      const { operator, operand } = node.operation
      if (operator.endsWith('=') && this.#holds(operand)) this.#variables.add(node.parameter)
    }
    if (node.type === 'Command') this.#assignWords(node)
    if (node.type === 'Redirect' && /^(?:>|&>)/.test(node.operator)) {
      if (this.#fileOf(node.target) === undefined && this.#holds(this.#printing(node)))
        this.#inFiles = true
    }
  }

  #assignWords(node: Command): void {
    const { name } = calledProgram(node)
    const texts = node.args.map((word) => (word.type === 'Word' ? word.value : ''))
    const set = (names: readonly string[]) => {
      for (const one of names) this.#variables.add(one)
    }
    if (name === 'read' || name === 'mapfile' || name === 'readarray') {
      if (this.#readsInFunction || this.#holds(this.#statementOf(node)))
        set([...texts, 'REPLY', 'MAPFILE'])
      return
    }
    const isFunction = this.#tree.nodes.some(
      (one) => one.type === 'Function' && one.name.value === name,
    )
    if (isFunction && this.#holds(this.#statementOf(node))) {
      this.#readsInFunction = true
      this.#inFiles = true
    }
    const [, alias, of] = /\s-\w*n\w*\s+(\w+)=(\w+)/.exec(this.#textOf(node)) ?? []
    if (alias && this.#isTaintedVariable(of)) set([alias])
    if (!node.args.some((word) => this.#holds(word))) return
    if (name === 'printf' && texts[0] === '-v' && texts[1]) set([texts[1]])
    if (name === 'tee') this.#inFiles = true
    if (isFunction || name === 'set') set(['1', '2', '3', '4', '5', '6', '7', '8', '9', '@', '*'])
  }

  /** Whether a command writes its input into the file that an argument names. */
  #isWriter(command: Command): boolean {
    const { name } = calledProgram(command)
    const isFull =
      this.#inFiles ||
      /GITHUB_EVENT_PATH/.test(this.#textOf(command)) ||
      (/\/dev\/(?:stdin|fd\/)|\s-(?:\s|$)|<\(/.test(this.#textOf(command)) &&
        [command, ...this.#inputOf(command)].some((part) => this.#holds(part)))
    return WRITERS.has(name) || (isFull && COPIERS.has(name))
  }

  /** Writes of a redirect, or of a command such as `tee`, into a file that the runner reads. */
  #written(node: SyntaxNode): Written[] {
    if (node.type === 'Command' && this.#isWriter(node)) {
      const files = node.args.flatMap((word) => this.#fileOf(word) ?? [])
      return files.flatMap((file) =>
        this.#writtenTo(file, node, this.#around(node, 'Pipeline') ?? node),
      )
    }
    if (node.type === 'Redirect' && node.operator !== '<') {
      const file = this.#fileOf(node.target)
      return file ? this.#writtenTo(file, node, this.#printing(node)) : []
    }
    if (node.type !== 'Command') return []
    if (/::set-output/.test(this.#textOf(node))) return this.#writtenTo('output', node, node)
    if (!isOneOf(INTERPRETERS, calledProgram(node).name)) return []
    const files = this.#programOf(node).match(/\bGITHUB_(?:ENV|OUTPUT|PATH)\b/g) ?? []
    return files.flatMap((path) => {
      const file = RUNNER_FILES.get(path)
      return file ? this.#writtenTo(file, node, node) : []
    })
  }

  #writtenTo(file: RunnerFile, node: SyntaxNode, printing: SyntaxNode): Written[] {
    const isCopied = node.type === 'Command' && COPIERS.has(calledProgram(node).name)
    if (!isCopied && !this.#holds(printing)) return []
    if (file !== 'env') return [{ file, node, isBounded: false, variables: [] }]
    const inside = this.#tree.nodes.filter(
      ({ pos, end }) => pos >= printing.pos && end <= printing.end,
    )
    const lines = printedLines(
      inside,
      (one) => this.#textOf(one),
      (one) => this.#holds(one),
      (line) => this.#isTaintedLine(line),
    )
    const marked = namesWithinMarks(lines, this.#marks)
    if (marked && marked.length > 0) return [{ file, node, isBounded: true, variables: marked }]
    const found = this.#textOf(printing).matchAll(/(?:^|["'\s])([A-Za-z_]\w*)(?:=|<<)/g)
    const names = [...found].flatMap(([, name]) => name ?? [])
    return [{ file, node, isBounded: false, variables: names.length > 0 ? names : 'any' }]
  }

  #isTaintedLine(text: string): boolean {
    if (/`|\$\(/.test(text) || this.#isTaintedText(text)) return true
    return [...text.matchAll(/\$\{?[!#]?(\w+)/g)].some(([, name]) => this.#isTaintedVariable(name))
  }

  #fileOf(target: SyntaxNode | undefined): RunnerFile | undefined {
    if (!target) return undefined
    const text = this.#textOf(target)
    if (text.includes('${!')) return 'env'
    const names = text.match(/\w+/g)?.map((name) => this.#pathOf(name) ?? name) ?? []
    const path = names
      .map((name) => this.#paths.get(name) ?? name)
      .find((name) => RUNNER_FILES.has(name))
    return path ? RUNNER_FILES.get(path) : undefined
  }

  /** `${{ github.env }}` is the path that `$GITHUB_ENV` holds. */
  #pathOf(placeholder: string): string | undefined {
    const [, index] = PLACEHOLDER.exec(placeholder) ?? []
    const expression = index && this.#script.placeholders[Number(index)]?.expression
    return expression && PATHS.exec(expression)?.[0].trim().replace('.', '_').toUpperCase()
  }

  /** The command whose output a redirect writes, with the pipeline before it. */
  #printing(redirect: Redirection): SyntaxNode {
    const command = this.#tree.parents.get(redirect) ?? redirect
    const isScript = command.type === 'Command' && nameOfCommand(command) === 'exec'
    return isScript ? this.#tree.root : (this.#around(command, 'Pipeline') ?? command)
  }

  #statementOf(node: SyntaxNode): SyntaxNode {
    let top = node
    for (let at: SyntaxNode | undefined = node; at; at = this.#tree.parents.get(at)) {
      if (at.type === 'Pipeline' || at.type === 'Redirected' || at.type === 'While') top = at
    }
    return top
  }

  #around(node: SyntaxNode, type: SyntaxNode['type']): SyntaxNode | undefined {
    const above = this.#tree.parents.get(node)
    return above?.type === type ? above : undefined
  }

  /** Whether a node contains untrusted input, or reads it. */
  #holds(node: SyntaxNode): boolean {
    switch (node.type) {
      case 'SimpleExpansion':
        return this.#isTaintedVariable(node.text.slice(1), node.pos)
      case 'ParameterExpansion': {
        const isLength = node.prefix === '#'
        if (node.prefix === '!')
          return this.#variables.size > 0 || this.#isTaintedVariable(undefined)
        const { operation } = node
        const isReplaced = operation?.type === 'Default' && operation.operator.endsWith('+')
        if (isLength || isCleaning(this.#textOf(node))) return false
        if (!isReplaced && this.#isTaintedVariable(node.parameter, node.pos)) return true
        break
      }
      case 'ArithmeticExpansion':
        return false
      case 'CommandExpansion':
        if (this.#isCleaned(node.script)) return false
        break
      case 'Command':
        if (this.#inFiles && isOneOf(READERS, calledProgram(node).name)) return true
        if (this.#readsVariables(node)) return true
        break
      case 'Redirect':
        if (node.target && this.#holds(node.target)) return true
        return (
          node.operator === '<' && (this.#inFiles || /GITHUB_EVENT_PATH/.test(this.#textOf(node)))
        )
      case 'Literal':
      case 'SingleQuoted':
      case 'AnsiCQuoted':
      case 'Glob':
        return this.#isTaintedText(node.text)
      case 'Word':
      case 'HereDocBody':
        if (!node.parts) return this.#isTaintedText(node.text)
        break
    }
    return childrenOf(node).some((child) => this.#holds(child))
  }

  #readsVariables(command: Command): boolean {
    const { name, args } = calledProgram(command)
    const own = nameOfCommand(command) ?? ''
    const hasArguments = command.args.some((word) => word.type !== 'Word' || word.value !== '-p')
    const isPrinter = name === 'envsubst' || (PRINTERS.has(own) && !hasArguments)
    if (isPrinter && this.#isTaintedVariable(undefined)) return true
    const isPrinted = PRINTERS.has(name) && args.some(({ value }) => value === '-p')
    const isReader = name === 'printenv' || isPrinted || isOneOf(INTERPRETERS, name)
    const words = isReader ? this.#programOf(command).match(/[A-Za-z_]\w*/g) : []
    return (words ?? []).some((word) => this.#isTaintedVariable(word, command.pos))
  }

  /** A command with its here-documents. */
  #programOf(command: Command): string {
    const texts = command.redirects.map((one) => (one.type === 'HereDoc' ? one.body.text : ''))
    return [this.#textOf(command), ...texts].join('\n')
  }

  /** `$(… | sha256sum)`, `$(… | tr -cd a-z)`, `$(printf %q …)`: the result cannot be code. */
  #isCleaned(script: CommandExpansionPart['script']): boolean {
    const [statement, ...others] = script?.commands ?? []
    const { command } = statement ?? {}
    const last = command?.type === 'Pipeline' ? command.commands.at(-1) : command
    if (others.length > 0 || last?.type !== 'Command') return false
    const [name, ...args] = [last.name, ...last.args].map((word) =>
      word?.type === 'Word' ? fixedText(word) : undefined,
    )
    if (name === 'printf' && args[0] === '%q') return true
    if (DIGESTS.has(name ?? '')) return !last.args.some((word) => this.#holds(word))
    return name === 'tr' && /^-(?:cd|dc)$/.test(args[0] ?? '') && PLAIN_SET.test(args[1] ?? '')
  }

  /** @param at the position at which the script reads the variable */
  #isTaintedVariable(name: string | undefined, at?: number): boolean {
    const ranges = (name !== undefined && this.#checked.get(name)) || []
    if (at !== undefined && ranges.some(({ start, end }) => start <= at && at < end)) return false
    return (
      (name !== undefined && this.#variables.has(name)) ||
      name === 'GITHUB_EVENT_PATH' ||
      this.#tainted.isTaintedVariable(name)
    )
  }

  #isTaintedText(text: string): boolean {
    const found = text.matchAll(new RegExp(PLACEHOLDER, 'g'))
    return [...found].some(([, index]) => this.#expressions.has(Number(index)))
  }

  #textOf(node: { readonly pos: number; readonly end: number }): string {
    return this.#script.text.slice(node.pos, node.end)
  }
}

/** `${V//[^0-9]/}` keeps plain characters only, and `${V@Q}` is quoted for a shell. */
function isCleaning(expansion: string): boolean {
  const [, kept] = /^\$\{\w+\/\/\[[\^!]([^\]]+(?::\])?)\](?:\/)?\}$/.exec(expansion) ?? []
  return (kept !== undefined && PLAIN_SET.test(kept)) || /^\$\{\w+@Q\}$/.test(expansion)
}
