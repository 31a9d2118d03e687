import {
  type Command,
  type CommandExpansionPart,
  forEachChild,
  type Redirection,
  type SyntaxNode,
} from 'unbash'
import type { EventFields } from '../workflow/event-fields.ts'
import type { Span } from '../workflow/spans.ts'
import { checkedRanges } from './checks.ts'
import {
  DIGESTS,
  type Executed,
  executedBy,
  INTERPRETERS,
  isOneOf,
  LOOKUPS,
  READERS,
  runsVariable,
} from './commands.ts'
import { PLAIN_SET } from './plain-patterns.ts'
import {
  calledProgram,
  fixedText,
  PLACEHOLDER,
  type PlaceholderScript,
  RANDOM,
  SET_VARIABLE,
  type ShellTree,
} from './script.ts'
import { type Taint, TRUSTED } from './taint-level.ts'

/** The places at which a step writes untrusted input for later steps, or executes it. */
export interface Writes {
  /** The highest taint of what the step reads. */
  readonly taint: Taint
  /** Outputs that contain it; `any` if each of its lines can be an output. */
  readonly outputs: readonly string[] | 'any'
  /** Variables of later steps, in lower case; `any` if the script does not show them. */
  readonly variables: readonly string[] | 'any'
  /** Writes in which a line break sets another variable, or a folder of programs, for later steps. */
  readonly unbounded: readonly Span[]
  /** Commands that execute it as a program, or obey it as the prompt of an agent. */
  readonly executed: readonly (Span & Pick<Executed, 'kind'>)[]
}

export const NO_WRITES: Writes = {
  taint: TRUSTED,
  outputs: [],
  variables: [],
  unbounded: [],
  executed: [],
}

/** The taints of the expressions and variables that a script reads. */
export interface Tainted {
  ofExpression(expression: string): Taint
  /** `undefined` asks for the highest of all. */
  ofVariable(name: string | undefined): Taint
  readonly fields: EventFields
}

/** The name of a file of the runner: `$GITHUB_ENV`, or `${{ github.env }}`. */
const RUNNER_FILE = /\bgithub[_.](env|output|path)\b/gi

/** Follows untrusted input through the variables and files of one script, in the order of its lines. */
export class ShellFlow {
  readonly #tree: ShellTree
  readonly #script: PlaceholderScript
  readonly #tainted: Tainted
  readonly #expressions: ReadonlySet<number>
  readonly #variables = new Set<string>()
  /** Ranges of the script in which a variable has passed a check. */
  readonly #checked: ReadonlyMap<string, readonly Span[]>
  #inFiles = false

  constructor(script: PlaceholderScript, tree: ShellTree, tainted: Tainted) {
    this.#script = script
    this.#tree = tree
    this.#tainted = tainted
    this.#expressions = new Set(
      script.placeholders.flatMap(({ expression }, at) =>
        tainted.ofExpression(expression) > TRUSTED ? [at] : [],
      ),
    )
    this.#checked = checkedRanges(tree)
  }

  writes(taint: Taint): Writes {
    // The second pass follows values that a loop carries to earlier lines.
    for (const node of [...this.#tree.nodes, ...this.#tree.nodes]) this.#assign(node)
    const found = this.#tree.nodes.flatMap((node) => this.#written(node))
    const names = found.flatMap(({ variables }) => variables)
    return {
      taint,
      outputs: found.some(({ file }) => file === 'output') ? 'any' : [],
      variables: names.includes('any') ? 'any' : names.map((name) => name.toLowerCase()),
      unbounded: found.flatMap(({ node, isBounded, file }) =>
        file === 'output' || isBounded ? [] : [{ start: node.pos, end: node.end }],
      ),
      executed: this.#tree.nodes.flatMap((node) => this.#executed(node)),
    }
  }

  /** A command that executes untrusted input of its arguments, or of its standard input. */
  #executed(node: SyntaxNode): Writes['executed'] {
    if (node.type !== 'Command') return []
    const span = { start: node.pos, end: node.end }
    // The callers of a function wrote `"$@"`.
    const isNamed = node.name && !/^"?\$\{?[@*\d]/.test(node.name.text) && this.#holds(node.name)
    const isTainted = (name: string) => this.#isTaintedVariable(name, node.pos)
    const { name } = calledProgram(node)
    const isRun =
      isOneOf(INTERPRETERS, name) && runsVariable(this.#programOf(node), isTainted, name)
    if (isNamed || isRun) return [{ ...span, kind: 'program' }]
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
    switch (node.type) {
      case 'Assignment':
        if (this.#holds(node.value)) this.#variables.add(node.name)
        break
      case 'For':
      case 'Select':
        if (node.wordlist?.some((word) => this.#holds(word))) this.#variables.add(node.name.value)
        break
      case 'TestBinary':
        if (node.operator === '=~' && this.#holds(node.left)) this.#variables.add('BASH_REMATCH')
        break
      case 'Redirect': {
        const isOutput = /^(?:>|&>)/.test(node.operator) && this.#filesIn(node.target).length === 0
        if (isOutput && this.#holds(this.#printing(node))) this.#inFiles = true
        break
      }
      case 'Command':
        this.#assignWords(node)
    }
  }

  #assignWords(node: Command): void {
    const { name } = calledProgram(node)
    if (name === 'read' || name === 'mapfile' || name === 'readarray') {
      if (!this.#inputOf(node).some((part) => this.#holds(part))) return
      for (const word of node.args) if (word.type === 'Word') this.#variables.add(word.value)
      for (const own of ['REPLY', 'MAPFILE']) this.#variables.add(own)
      return
    }
    if (!node.args.some((word) => this.#holds(word))) return
    if (name === 'tee') this.#inFiles = true
    const isFunction = this.#tree.nodes.some(
      (one) => one.type === 'Function' && one.name.value === name,
    )
    if (isFunction || name === 'set') for (const own of '123456789@*') this.#variables.add(own)
  }

  /** Writes of a redirect, of `tee`, or of a program, into a file that the runner reads. */
  #written(node: SyntaxNode) {
    if (node.type === 'Redirect' && node.operator !== '<') {
      return this.#writtenTo(this.#filesIn(node.target), node, this.#printing(node))
    }
    if (node.type !== 'Command') return []
    const { name } = calledProgram(node)
    if (name === 'tee') {
      const files = node.args.flatMap((word) => this.#filesIn(word))
      return this.#writtenTo(files, node, this.#pipelineOf(node))
    }
    if (/::set-output/.test(this.#textOf(node))) return this.#writtenTo(['output'], node, node)
    return isOneOf(INTERPRETERS, name)
      ? this.#writtenTo(filesNamed(this.#programOf(node)), node, node)
      : []
  }

  #writtenTo(files: readonly string[], node: SyntaxNode, printing: SyntaxNode) {
    if (files.length === 0 || !this.#holds(printing)) return []
    const found = [...this.#textWithDocuments(printing).matchAll(SET_VARIABLE)]
    const names = found.flatMap(([, name]) => name ?? [])
    // A random mark ends the value, so that no line of it can set another variable.
    const isBounded = found.length > 0 && found.every(([, , mark]) => mark && this.#isRandom(mark))
    const variables = names.length > 0 ? names : 'any'
    return files.map((file) => {
      return file === 'env'
        ? { file, node, isBounded, variables }
        : { file, node, isBounded: false, variables: [] }
    })
  }

  /** Whether a variable only ever has random values. */
  #isRandom(name: string): boolean {
    const values = this.#tree.nodes.flatMap((node) =>
      node.type === 'Assignment' && node.name === name ? [this.#textOf(node)] : [],
    )
    return values.length > 0 && values.every((value) => RANDOM.test(value))
  }

  #filesIn(target: SyntaxNode | undefined): string[] {
    const text = target ? this.#textOf(target) : ''
    const { placeholders } = this.#script
    return filesNamed(
      text.replace(PLACEHOLDER, (_, index) => placeholders[Number(index)]?.expression ?? ''),
    )
  }

  /** The command whose output a redirect writes, with the pipeline before it. */
  #printing(redirect: Redirection): SyntaxNode {
    const command = this.#tree.parents.get(redirect) ?? redirect
    const isScript = command.type === 'Command' && fixedText(command.name) === 'exec'
    return isScript ? this.#tree.root : this.#pipelineOf(command)
  }

  /** The pipeline that a command is a part of; without one, the command. */
  #pipelineOf(node: SyntaxNode): SyntaxNode {
    const above = this.#tree.parents.get(node)
    return above?.type === 'Pipeline' ? above : node
  }

  /** Whether a node contains untrusted input, or reads it. */
  #holds(node: SyntaxNode): boolean {
    switch (node.type) {
      case 'SimpleExpansion':
        return this.#isTaintedVariable(node.text.slice(1), node.pos)
      case 'ParameterExpansion': {
        const { operation } = node
        const isReplaced = operation?.type === 'Default' && operation.operator.endsWith('+')
        if (node.prefix === '#' || isCleaning(this.#textOf(node))) return false
        if (node.prefix === '!') return true
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
        return node.operator === '<' && this.#inFiles
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
    let holds = false
    forEachChild(node, (child) => {
      holds ||= this.#holds(child)
    })
    return holds
  }

  /** Whether a program in a command reads a variable by its name: `os.environ["N"]`. */
  #readsVariables(command: Command): boolean {
    const { name } = calledProgram(command)
    if (name !== 'printenv' && !isOneOf(INTERPRETERS, name)) return false
    const words = this.#programOf(command).match(/[A-Za-z_]\w*/g) ?? []
    return words.some((word) => this.#isTaintedVariable(word, command.pos))
  }

  /** A command with its here-documents. */
  #programOf(command: Command): string {
    const texts = command.redirects.map((one) => (one.type === 'HereDoc' ? one.body.text : ''))
    return [this.#textOf(command), ...texts].join('\n')
  }

  /** A part of the script with the here-documents of its commands. */
  #textWithDocuments(part: SyntaxNode): string {
    const commands = this.#tree.nodes.filter(({ pos, end }) => pos >= part.pos && end <= part.end)
    return commands.map((one) => (one.type === 'Command' ? this.#programOf(one) : '')).join('\n')
  }

  /** `$(… | sha256sum)`, `$(… | tr -cd a-z)`, `$(gh pr view "$REF")`: the result is not the input. */
  #isCleaned(script: CommandExpansionPart['script']): boolean {
    const [statement, ...others] = script?.commands ?? []
    if (!statement || others.length > 0) return false
    const { command } = statement
    const parts = command.type === 'AndOr' ? command.commands : [command]
    return parts.every((part) => !this.#holds(part) || this.#isCleanedBy(part))
  }

  #isCleanedBy(part: SyntaxNode): boolean {
    const commands = part.type === 'Pipeline' ? part.commands : [part]
    const [first, last] = [commands[0], commands.at(-1)]
    if (last?.type !== 'Command' || first?.type !== 'Command') return false
    const isLookup = LOOKUPS.has(fixedText(first.name) ?? '')
    if (isLookup && !commands.slice(1).some((one) => this.#holds(one))) return true
    const [name, ...args] = [last.name, ...last.args].map((word) =>
      word?.type === 'Word' ? fixedText(word) : undefined,
    )
    if (name === 'printf' && args[0] === '%q') return true
    if (DIGESTS.has(name ?? '')) return !last.args.some((word) => this.#holds(word))
    return name === 'tr' && /^-(?:cd|dc)$/.test(args[0] ?? '') && PLAIN_SET.test(args[1] ?? '')
  }

  /** @param at the position at which the script reads the variable */
  #isTaintedVariable(name: string, at: number): boolean {
    const ranges = this.#checked.get(name) ?? []
    if (ranges.some(({ start, end }) => start <= at && at < end)) return false
    return (
      this.#variables.has(name) ||
      name === 'GITHUB_EVENT_PATH' ||
      this.#tainted.ofVariable(name) > TRUSTED
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

function filesNamed(text: string): string[] {
  return [...text.matchAll(RUNNER_FILE)].map(([, file = '']) => file.toLowerCase())
}

/** `${V//[^0-9]/}` keeps plain characters only, and `${V@Q}` is quoted for a shell. */
function isCleaning(expansion: string): boolean {
  const [, kept] = /^\$\{\w+\/\/\[[\^!]([^\]]+(?::\])?)\](?:\/)?\}$/.exec(expansion) ?? []
  return (kept !== undefined && PLAIN_SET.test(kept)) || /^\$\{\w+@Q\}$/.test(expansion)
}
