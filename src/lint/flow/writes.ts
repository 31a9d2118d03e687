import type { Command, CommandExpansionPart, Redirection, SyntaxNode } from 'unbash'
import type { Span } from '../../workflow/spans.ts'
import { namesWithinMarks, printedLines, randomMarks } from './marks.ts'
import { MAY_OBEY, type Obeyed, obeyedBy } from './obeyed.ts'
import {
  COPIERS,
  DIGESTS,
  INTERPRETERS,
  isOneOf,
  PLAIN_SET,
  PRINTERS,
  READERS,
  WRITERS,
} from './programs.ts'
import {
  calledBy,
  childrenOf,
  fixedText,
  nameOfCommand,
  PLACEHOLDER,
  type Script,
  type ShellTree,
  shellTree,
} from './script.ts'
import type { CountedEvents } from './taint.ts'

/** What a step makes of untrusted text for those behind it. */
export interface Writes {
  /** True when an output is made of it: then any may be, since a line more is an output more. */
  readonly outputs: boolean
  /** Variables of later steps, in lower case. */
  readonly variables: readonly string[] | 'any'
  /** Where a line more of the text would be a variable, or a folder of programs, of later steps. */
  readonly unbounded: readonly Span[]
  /** Where a variable gets the text, and nothing else can. */
  readonly assigned: readonly (Span & { readonly name: string })[]
  /** Where a command gets the text as a program, or as the prompt of an agent. */
  readonly obeyed: readonly (Span & Pick<Obeyed, 'kind'>)[]
}

export const NO_WRITES: Writes = {
  outputs: false,
  variables: [],
  unbounded: [],
  assigned: [],
  obeyed: [],
}

/** Which expressions and variables hold untrusted text. */
interface Tainted {
  isTainted(expression: string): boolean
  /** `undefined` asks for any of them. */
  isTaintedVariable(name: string | undefined): boolean
}

const OUTPUTS = /GITHUB_OUTPUT\b|::set-output/
const VARIABLES = /GITHUB_(?:ENV|PATH)\b|\$\{!/
/** What brings the texts of these events into a script. */
const PAYLOADS: Readonly<Record<CountedEvents, RegExp>> = {
  all: /\bpayload\b/,
  fields: /\bpayload\b/,
  webhooks: /\bclient_payload\b|\bhookline\b/,
  calls: /\bhookline\b/,
}
const PATHS = /^\s*github\.(?:env|output|path)\s*$/i

/** What a script of a `run:` step writes into `$GITHUB_OUTPUT`, `$GITHUB_ENV` and `$GITHUB_PATH`. */
export function scriptWrites(script: Script, isPosixShell: boolean, tainted: Tainted): Writes {
  const { text } = script
  const isWriting = OUTPUTS.test(text) || VARIABLES.test(text)
  const isNamed = script.placeholders.some(({ expression }) => PATHS.test(expression))
  const isObeying = MAY_OBEY.test(text) && knowsUntrusted(script, tainted)
  if (!isWriting && !isNamed && !isObeying) return NO_WRITES
  const tree = isPosixShell ? shellTree(text) : undefined
  if (tree) return new ShellFlow(script, tree, tainted).writes()
  return isWriting || isNamed ? writesByWords(script, tainted) : NO_WRITES
}

/** For a script that cannot be read: whatever it knows may get wherever it writes. */
function writesByWords(script: Script, tainted: Tainted): Writes {
  if (!knowsUntrusted(script, tainted)) return NO_WRITES
  const at = script.text.search(VARIABLES)
  const unbounded = at < 0 ? [] : [{ start: at, end: at + 'GITHUB_ENV'.length }]
  const outputs = OUTPUTS.test(script.text)
  return { ...NO_WRITES, outputs, variables: at < 0 ? [] : 'any', unbounded }
}

function knowsUntrusted({ text, placeholders }: Script, tainted: Tainted): boolean {
  const words = new Set(text.match(/[A-Za-z_]\w*/g))
  return (
    placeholders.some(({ expression }) => tainted.isTainted(expression)) ||
    [...words].some((word) => word === 'GITHUB_EVENT_PATH' || tainted.isTaintedVariable(word))
  )
}

/**
 * What a script of github-script hands on; its library marks the ends of what it writes.
 *
 * @param events whose texts count
 */
export function githubScriptWrites(
  script: Script,
  tainted: Tainted,
  events: CountedEvents,
): Writes {
  const { text } = script
  const isOfEvent = PAYLOADS[events]
  const isKnown = isOfEvent.test(text) || knowsUntrusted(script, tainted)
  if (!isKnown) return NO_WRITES
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
    obeyed: [],
  }
}

type RunnerFile = 'output' | 'env' | 'path'

const RUNNER_FILES: ReadonlyMap<string, RunnerFile> = new Map([
  ['GITHUB_OUTPUT', 'output'],
  ['GITHUB_ENV', 'env'],
  ['GITHUB_PATH', 'path'],
])

/** Untrusted text that comes into a file of the runner, and where. */
interface Written {
  readonly file: RunnerFile
  readonly node: SyntaxNode
  /** True when a mark that the sender cannot know ends the text. */
  readonly isBounded: boolean
  /** The variables that get it, as they are written; `any` where that cannot be told. */
  readonly variables: readonly string[] | 'any'
}

/** Follows untrusted text through the variables and files of one script, in the order of its lines. */
class ShellFlow {
  readonly #tree: ShellTree
  readonly #script: Script
  readonly #tainted: Tainted
  readonly #expressions: ReadonlySet<number>
  readonly #variables = new Set<string>()
  /** Variables that hold the path of a file that the runner reads. */
  readonly #paths = new Map<string, string>()
  readonly #marks: ReadonlySet<string>
  #inFiles = false
  /** A function of the script reads untrusted text from those who call it. */
  #isFed = false

  constructor(script: Script, tree: ShellTree, tainted: Tainted) {
    this.#script = script
    this.#tree = tree
    this.#tainted = tainted
    const untrusted = script.placeholders.flatMap(({ expression }, at) =>
      tainted.isTainted(expression) || /\bevent_path\b/i.test(expression) ? [at] : [],
    )
    this.#expressions = new Set(untrusted)
    this.#marks = randomMarks(
      tree,
      (node) => this.#textOf(node),
      (name) => tainted.isTaintedVariable(name),
    )
  }

  writes(): Writes {
    for (const node of this.#tree.nodes) this.#keep(node)
    for (const node of this.#tree.nodes) this.#keep(node) // what a loop brings round
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
      obeyed: this.#tree.nodes.flatMap((node) => this.#obeyed(node)),
    }
  }

  /** A command that is told, or reads, untrusted text and does what it says. */
  #obeyed(node: SyntaxNode): Writes['obeyed'] {
    if (node.type !== 'Command') return []
    const span = { start: node.pos, end: node.end }
    // `"$@"` of a function is what its callers wrote.
    const isNamed = node.name && !/^"?\$\{?[@*\d]/.test(this.#textOf(node.name))
    if (isNamed && node.name && this.#holds(node.name)) return [{ ...span, kind: 'program' }]
    const obeyed = obeyedBy(node)
    if (!obeyed) return []
    const { kind, words, isInput } = obeyed
    const isTold = words.some((word) => this.#holds(word))
    const isRead = isInput && this.#inputOf(node).some((part) => this.#holds(part))
    return isTold || isRead ? [{ ...span, kind }] : []
  }

  /** What comes into a command: its here-documents and files, and the commands before it in a pipe. */
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

  /** Notes which variables and files hold untrusted text from here on. */
  #keep(node: SyntaxNode): void {
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
    if (node.type === 'Command') this.#keepWords(node)
    if (node.type === 'Redirect' && /^(?:>|&>)/.test(node.operator)) {
      if (this.#fileOf(node.target) === undefined && this.#holds(this.#printing(node)))
        this.#inFiles = true
    }
  }

  #keepWords(node: Command): void {
    const { name } = calledBy(node)
    const texts = node.args.map((word) => (word.type === 'Word' ? word.value : ''))
    const set = (names: readonly string[]) => {
      for (const one of names) this.#variables.add(one)
    }
    if (name === 'read' || name === 'mapfile' || name === 'readarray') {
      if (this.#isFed || this.#holds(this.#statementOf(node))) set([...texts, 'REPLY', 'MAPFILE'])
      return
    }
    const isFunction = this.#tree.nodes.some(
      (one) => one.type === 'Function' && one.name.value === name,
    )
    if (isFunction && this.#holds(this.#statementOf(node))) {
      this.#isFed = true
      this.#inFiles = true
    }
    const [, alias, of] = /\s-\w*n\w*\s+(\w+)=(\w+)/.exec(this.#textOf(node)) ?? []
    if (alias && this.#isTaintedVariable(of)) set([alias])
    if (!node.args.some((word) => this.#holds(word))) return
    if (name === 'printf' && texts[0] === '-v' && texts[1]) set([texts[1]])
    if (name === 'tee') this.#inFiles = true
    if (isFunction || name === 'set') set(['1', '2', '3', '4', '5', '6', '7', '8', '9', '@', '*'])
  }

  /** A command that puts what it reads into the file that an argument names. */
  #isWriter(command: Command): boolean {
    const { name } = calledBy(command)
    const isFull =
      this.#inFiles ||
      /GITHUB_EVENT_PATH/.test(this.#textOf(command)) ||
      (/\/dev\/(?:stdin|fd\/)|\s-(?:\s|$)|<\(/.test(this.#textOf(command)) &&
        [command, ...this.#inputOf(command)].some((part) => this.#holds(part)))
    return WRITERS.has(name) || (isFull && COPIERS.has(name))
  }

  /** What a redirect, or a command such as `tee`, puts into a file that the runner reads. */
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
    if (!isOneOf(INTERPRETERS, calledBy(node).name)) return []
    const files = this.#programOf(node).match(/\bGITHUB_(?:ENV|OUTPUT|PATH)\b/g) ?? []
    return files.flatMap((path) => {
      const file = RUNNER_FILES.get(path)
      return file ? this.#writtenTo(file, node, node) : []
    })
  }

  #writtenTo(file: RunnerFile, node: SyntaxNode, printing: SyntaxNode): Written[] {
    const isCopied = node.type === 'Command' && COPIERS.has(calledBy(node).name)
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

  /** The command whose output a redirect takes, with what is piped into it. */
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

  /** True when untrusted text stands in a node, or comes into it. */
  #holds(node: SyntaxNode): boolean {
    switch (node.type) {
      case 'SimpleExpansion':
        return this.#isTaintedVariable(node.text.slice(1))
      case 'ParameterExpansion': {
        const isLength = node.prefix === '#'
        if (node.prefix === '!')
          return this.#variables.size > 0 || this.#isTaintedVariable(undefined)
        const { operation } = node
        const isReplaced = operation?.type === 'Default' && operation.operator.endsWith('+')
        if (isLength) return false
        if (!isReplaced && this.#isTaintedVariable(node.parameter)) return true
        break
      }
      case 'ArithmeticExpansion':
        return false
      case 'CommandExpansion':
        if (this.#isCleaned(node.script)) return false
        break
      case 'Command':
        if (this.#inFiles && isOneOf(READERS, calledBy(node).name)) return true
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
    const { name, args } = calledBy(command)
    const own = nameOfCommand(command) ?? ''
    const isTold = command.args.some((word) => word.type !== 'Word' || word.value !== '-p')
    const isPrinter = name === 'envsubst' || (PRINTERS.has(own) && !isTold)
    if (isPrinter && this.#isTaintedVariable(undefined)) return true
    const isPrinted = PRINTERS.has(name) && args.some(({ value }) => value === '-p')
    const isReader = name === 'printenv' || isPrinted || isOneOf(INTERPRETERS, name)
    const words = isReader ? this.#programOf(command).match(/[A-Za-z_]\w*/g) : []
    return (words ?? []).some((word) => this.#isTaintedVariable(word))
  }

  /** A command with the text that it reads. */
  #programOf(command: Command): string {
    const texts = command.redirects.map((one) => (one.type === 'HereDoc' ? one.body.text : ''))
    return [this.#textOf(command), ...texts].join('\n')
  }

  /** `$(… | sha256sum)`, `$(… | tr -cd a-z)`: nothing is left of what a sender worded. */
  #isCleaned(script: CommandExpansionPart['script']): boolean {
    const [statement, ...others] = script?.commands ?? []
    const { command } = statement ?? {}
    const last = command?.type === 'Pipeline' ? command.commands.at(-1) : command
    if (others.length > 0 || last?.type !== 'Command') return false
    const [name, ...args] = [last.name, ...last.args].map((word) =>
      word?.type === 'Word' ? fixedText(word) : undefined,
    )
    if (DIGESTS.has(name ?? '')) return !last.args.some((word) => this.#holds(word))
    return name === 'tr' && /^-(?:cd|dc)$/.test(args[0] ?? '') && PLAIN_SET.test(args[1] ?? '')
  }

  #isTaintedVariable(name: string | undefined): boolean {
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
