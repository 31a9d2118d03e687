import { type Document, isAlias, isMap, isScalar, isSeq, type Pair, Scalar } from 'yaml'
import { NATIVE_EVENTS } from '../wire/events.ts'
import { LIMITS } from '../wire/limits.ts'
import type { Mistake } from './mistakes.ts'
import { didYouMean, quoted } from './suggestion.ts'

/**
 * A mistake by its offsets in the file. The rules are those of `YamlObjectReader` and
 * `TemplateReader` in https://github.com/actions/runner, which use YamlDotNet 5.3.0: the `yaml`
 * package accepts more.
 */
export interface Refusal extends Mistake {
  readonly start: number
  readonly end: number
}

/** The tokens of a file that the composed document does not contain. */
export interface YamlMarks {
  readonly tags: readonly Mark[]
  /** Anchors and aliases. */
  readonly names: readonly Mark[]
  readonly directives: readonly Mark[]
  /** Block scalars: the offset after each, with the offset of its header. */
  readonly blocks: ReadonlyMap<number, number>
}

interface Mark {
  readonly source: string
  readonly start: number
  /** The offset of the first tag before the same value. */
  readonly first: number
}

/** By this character, the lexer marks the next token as a scalar. */
export const SCALAR = '\u001f'

/** Tokens without characters, by which the lexer marks a document, a scalar and an error. */
export const TOKEN_MARKS: ReadonlySet<string> = new Set(['\u0002', '\u0018', SCALAR])

export function marksIn(tokens: readonly string[]): YamlMarks {
  const tags: Mark[] = []
  const names: Mark[] = []
  const directives: Mark[] = []
  const blocks = new Map<number, number>()
  let [start, header, first] = [0, -1, -1]
  let isText = false
  for (const source of tokens) {
    if (TOKEN_MARKS.has(source)) {
      isText = source === SCALAR
      continue
    }
    const kind = isText ? '' : source[0]
    if (kind === '!') {
      if (first < 0) first = start
      tags.push({ source, start, first })
    } else if (kind === '&' || kind === '*') names.push({ source, start, first })
    else if (kind === '%') directives.push({ source, start, first })
    else if (kind === '|' || kind === '>') header = start
    else if (isText && header >= 0) {
      blocks.set(start + source.length, header)
      header = -1
    }
    // Properties of one value are on one line, with white space between them.
    if (first >= 0 && (isText || !/^(?:[!&*#]|[ \t]+$)/.test(source))) first = -1
    isText = false
    start += source.length
  }
  return { tags, names, directives, blocks }
}

/**
 * The text for the `yaml` package. GitHub accepts `%YAML 1.1` and reads the file as any other; the
 * package would read `on` as a boolean.
 */
export function withoutYaml11(text: string): string {
  if (!text.includes('%YAML')) return text
  const [head = ''] = /^(?:(?:%.*|[ \t]*(?:#.*)?)\n)*(?=---(?:\s|$))/.exec(text) ?? []
  return head.replace(/^%(?=YAML[ \t]+0*1\.0*1[ \t]*(?:#.*)?$)/m, '#') + text.slice(head.length)
}

/** The mistakes that GitHub refuses, and the parts that GitHub ignores, in no order. */
interface GitHubReading {
  readonly errors: readonly Refusal[]
  readonly warnings: readonly Refusal[]
}

/** A syntax error by its offsets. */
interface Fault {
  readonly pos: readonly [start: number, end: number]
}

/**
 * Reads a parsed file as GitHub does.
 *
 * @param faults the syntax errors, in order
 * @returns also the number of syntax errors before the first one that follows from a tag
 */
export function githubReading(
  text: string,
  document: Document.Parsed,
  marks: YamlMarks,
  faults: readonly Fault[],
): GitHubReading & { readonly explained: number } {
  const reader = new Reader(text, marks)
  const explained = reader.explain(faults)
  reader.readFile(document)
  return { ...reader.reading(), explained }
}

/** The nodes of a part of a file with aliases replaced, and its levels. */
interface Size {
  readonly nodes: number
  readonly levels: number
}

const CORE = 'tag:yaml.org,2002:'

/** The keys of a mapping; `stringKeys` allows only scalars. */
type Pairs = Pair<Scalar>[]

class Reader {
  readonly #text: string
  readonly #marks: YamlMarks
  readonly #errors: Refusal[] = []
  readonly #warnings: Refusal[] = []
  /** Offsets of tags that GitHub accepts. */
  readonly #accepted = new Set<number>()
  /** Offsets of the first tags of values that GitHub refuses. */
  readonly #refused = new Set<number>()
  readonly #sizes = new Map<string, Size | undefined>()
  readonly #path: string[] = []
  #levels = Number.POSITIVE_INFINITY
  #kind: 'workflow' | 'action' | 'other' = 'other'
  #nextTag = 0

  constructor(text: string, marks: YamlMarks) {
    this.#text = text
    this.#marks = marks
  }

  readFile({ contents }: Document.Parsed): void {
    const keys = isMap(contents) ? (contents.items as Pairs).map(({ key }) => key) : []
    const names = keys.map(({ value }) => String(value))
    if (names.includes('jobs')) this.#kind = 'workflow'
    else if (names.includes('runs')) this.#kind = 'action'
    if (this.#kind === 'workflow') this.#levels = LIMITS.workflowLevels
    const meantOn = names.includes('on')
      ? undefined
      : keys.find(({ value }) => String(value).toLowerCase() === 'true')
    if (meantOn) {
      const notes = ['a program that follows YAML 1.1 writes the key "on" as "true"']
      const message = `the key ${quoted(String(meantOn.value))} was "on" before`
      this.#refuse('not-a-workflow', meantOn, message, 'write "on:"', notes)
    }
    if (this.#kind === 'workflow') for (const key of keys) this.#checkSection(key)
    const { nodes } = this.#read(contents, 1)
    if (nodes > LIMITS.yamlNodes) {
      const message = `YAML: more than ${LIMITS.yamlNodes} nodes, with each alias counted as its anchor`
      this.#errors.push({ code: 'too-large', message, start: 0, end: 1 })
    }
  }

  /** A line of a script that is not indented, such as `Subject: x`, is a key of the workflow. */
  #checkSection(key: Scalar): void {
    const [start = 0, end = 0] = key.range ?? []
    const header = this.#marks.blocks.get(start)
    if (header === undefined || this.#errors.length >= LIMITS.problems) return
    const column = columnOfText(this.#text, header, start)
    if (SECTIONS.has(String(key.value))) {
      // `name: x` within the script of a step, whose next line would continue the name.
      const isContinued = /^:[ \t]+[\w(]/.test(this.#text.slice(end)) && column >= STEP_COLUMN
      if (!isContinued) return
    }
    const next = /\n+( *)\S/.exec(this.#text.slice(end))?.[1]?.length ?? 0
    if (next >= column) this.#errors.push(endOfBlock(this.#text, header, start))
  }

  reading(): GitHubReading {
    this.#readNames()
    this.#readDirectives()
    for (const { source, start, first } of this.#marks.tags) {
      if (this.#accepted.has(start) || this.#refused.has(first)) continue
      const message = `the tag ${quoted(source)} has no effect, because GitHub ignores it`
      this.#warn(start, source.length, message, 'remove the tag')
    }
    return { errors: this.#errors, warnings: this.#warnings }
  }

  /**
   * Reports the tags that syntax errors follow from, such as `if: !contains(a, b)`.
   *
   * @returns the index of the first fault that a tag explains; later ones may follow from it
   */
  explain(faults: readonly Fault[]): number {
    let at = 0
    const found = faults.findIndex(({ pos: [start] }) => {
      const lineStart = this.#text.lastIndexOf('\n', start - 1) + 1
      while ((this.#marks.tags[at]?.start ?? lineStart) < lineStart) at++
      const tag = this.#marks.tags[at]
      if (!tag || tag.start > start || isCore(tag.source.replace('!!', CORE))) return false
      const tagEnd = tag.start + tag.source.length
      const after = this.#text.slice(tagEnd)
      // A tag of a mapping or a list explains no fault in it.
      if (start > tagEnd && /^(?:[ \t]+[[{]|[ \t]*(?:\n|#|$))/.test(after)) return false
      if (!this.#refused.has(tag.first)) this.#refuseTag(tag, undefined, false)
      return true
    })
    return found < 0 ? faults.length : found
  }

  /** The part of the file that Hookline reads, and GitHub does not. */
  #isOwn(): boolean {
    const [section, name] = this.#path
    if (this.#kind === 'other') return true
    return section === 'on' && name !== undefined && !NATIVE_EVENTS.has(name)
  }

  #read(node: unknown, level: number): Size {
    if (isAlias(node)) return this.#readAlias(node.source, node.range?.[0] ?? 0, level)
    if (isScalar(node)) {
      this.#readScalar(node, false)
      return this.#sized(node.anchor, { nodes: 1, levels: 0 })
    }
    if (!isMap(node) && !isSeq(node)) return { nodes: 1, levels: 0 }
    this.#checkLevel(level, node.range?.[0] ?? 0)
    if (node.anchor !== undefined) this.#sizes.set(node.anchor, undefined) // not complete yet
    let [nodes, levels] = [2, 0]
    const add = (child: unknown, key: string) => {
      this.#path.push(key)
      const size = this.#read(child, level + 1)
      nodes += size.nodes
      levels = Math.max(levels, size.levels)
      this.#path.pop()
    }
    if (isSeq(node)) for (const item of node.items) add(item, '*')
    else {
      const pairs = node.items as Pairs
      this.#readKeys(pairs)
      for (const { key, value } of pairs) {
        this.#readScalar(key, true)
        nodes++
        add(value, String(key.value))
      }
    }
    return this.#sized(node.anchor, { nodes, levels: levels + 1 })
  }

  #sized(anchor: string | undefined, size: Size): Size {
    if (anchor !== undefined) this.#sizes.set(anchor, size)
    return size
  }

  #checkLevel(level: number, start: number): void {
    if (level !== this.#levels + 1 || this.#isOwn()) return
    const message = `YAML: more than ${this.#levels} levels`
    this.#errors.push({ code: 'too-large', message, start, end: start + 1 })
  }

  #readAlias(name: string, start: number, level: number): Size {
    const none = { nodes: 1, levels: 0 }
    const end = start + 1 + name.length
    const size = this.#sizes.get(name)
    if (size) {
      if (level <= this.#levels && level + size.levels - 1 > this.#levels) {
        this.#checkLevel(this.#levels + 1, start)
      }
      return size
    }
    if (this.#sizes.has(name)) {
      const message = `"*${name}" is inside of its own anchor`
      this.#errors.push({ code: 'bad-alias', message, start, end, hint: 'leave it out' })
    } else if (PLAIN_NAME.test(name)) {
      const message = `there is no "&${name}" before "*${name}"`
      // Only the first mistakes are shown, and the nearest name takes long to find.
      const names = this.#errors.length < LIMITS.problems ? [...this.#sizes.keys()] : []
      const hint = didYouMean(name, names) ?? 'define the anchor before its aliases'
      this.#errors.push({ code: 'bad-alias', message, start, end, hint })
    }
    return none
  }

  #readKeys(pairs: Pairs): void {
    const isOwn = this.#isOwn()
    const seen = new Map<string, string>()
    for (const { key, value } of pairs) {
      const name = String(key.value)
      const known = isOwn ? name : comparedKey(key)
      const before = seen.get(known)
      if (before !== undefined && (isOwn || !name.includes('${{'))) {
        const message =
          before === name
            ? `YAML: the key ${quoted(name)} is duplicated`
            : `GitHub reads the keys ${quoted(before)} and ${quoted(name)} as the same key`
        this.#refuse('duplicate-key', key, message, 'remove one')
      } else if (key.type === Scalar.PLAIN && name.startsWith(NO_BREAK_SPACE)) {
        const { length = 1 } = /^\u00a0*/.exec(name)?.[0] ?? {}
        const [start = 0] = key.range ?? []
        this.#errors.push(noBreakSpace(start, start + length))
      }
      seen.set(known, name)
      if (name === '<<' && key.type === Scalar.PLAIN) this.#readMerge(key, value, isOwn)
    }
  }

  /** GitHub reads `<<` as a name, and refuses it where a name cannot have such a value. */
  #readMerge(key: Scalar, value: unknown, isOwn: boolean): void {
    const names = this.#kind === 'action' ? NAMES_IN_ACTION : NAMES_IN_WORKFLOW
    const hint = 'write the keys here, or use an alias in place of the whole mapping'
    if (isOwn || isScalar(value) || names.test(this.#path.join('.'))) {
      const message = `the key "<<" merges nothing: ${isOwn ? 'Hookline' : 'GitHub'} reads it as a name`
      this.#warn(key.range?.[0] ?? 0, 2, message, hint)
      return
    }
    this.#refuse('merge-key', key, 'GitHub has no merge keys, and refuses "<<" here', hint)
  }

  #readScalar(scalar: Scalar, isKey: boolean): void {
    if (scalar.tag !== undefined) this.#readTag(scalar, isKey)
    else if (scalar.type === Scalar.PLAIN && scalar.source?.[0] === '0') {
      if (!exceedsInteger(scalar.source) || this.#isOwn()) return
      const [start = 0, end = 0] = scalar.range ?? []
      const number = this.#text.slice(start, end).trim()
      const message = `YAML reads ${quoted(number)} as a number, which is too large for GitHub`
      const hint = `quote the value: "${number}"`
      this.#refuse('number-range', scalar, message, hint)
    }
  }

  #readTag(scalar: Scalar, isKey: boolean): void {
    const [at = 0] = scalar.range ?? []
    const { tags } = this.#marks
    // The nodes come in the order of the file.
    while ((tags[this.#nextTag + 1]?.start ?? at) < at) this.#nextTag++
    const tag = tags[this.#nextTag]
    if (!tag) return
    if (isAccepted(scalar)) this.#accepted.add(tag.start)
    else if (!this.#refused.has(tag.first)) this.#refuseTag(tag, scalar, isKey)
  }

  #refuseTag(tag: Mark, scalar: Scalar | undefined, isKey: boolean): void {
    const [source = tag.source] = /^!\S*/.exec(this.#text.slice(tag.first, tag.start)) ?? []
    this.#refused.add(tag.first)
    this.#errors.push({
      code: 'yaml-tag',
      message: scalar?.tag?.startsWith(CORE)
        ? `GitHub refuses this value with the tag ${quoted(source)}`
        : `YAML reads ${quoted(source)} as a tag, which GitHub refuses`,
      start: tag.first,
      end: tag.first + source.length,
      hint: this.#cureOfTag(tag, scalar, isKey),
    })
  }

  #cureOfTag(tag: Mark, scalar: Scalar | undefined, isKey: boolean): string {
    if (scalar?.tag && isCore(scalar.tag)) return 'remove the tag, or correct the value'
    if (scalar?.tag?.startsWith(CORE)) return 'remove the tag'
    const [start = tag.first, end = start] = scalar?.range ?? []
    const isBlock = scalar?.type === Scalar.BLOCK_LITERAL || scalar?.type === Scalar.BLOCK_FOLDED
    const isHeader = /^[|>][-+\d]*[ \t]*(?:#.*)?$/m.test(lineFrom(this.#text, start))
    if (isBlock && isHeader) return 'remove the tag, or write it into the text below'
    // Single quotes are those of an expression.
    const isQuoted = scalar?.type === Scalar.QUOTE_DOUBLE && start > tag.start + tag.source.length
    let written = lineFrom(this.#text, tag.first).replace(/[ \t]#.*/, '')
    // The library read no value, so its end in braces is unknown.
    const before = this.#text.slice(0, tag.first)
    if (!scalar && /[[{][^\]}\n]*$/.test(before)) return 'write the whole value in quotes'
    if (isQuoted) written = `${tag.source} ${scalar.value}`
    else if (scalar && !isBlock) written = this.#text.slice(tag.first, Math.max(end, start))
    const value = written.trim().replaceAll(/\s+/g, ' ')
    if (value.length > LONGEST_CURE) return 'write the whole value in quotes'
    const name = isKey ? '' : this.#labelBefore(tag.first)
    return `quote the ${isKey ? 'key' : 'value'}: ${name}${inQuotes(value)}${isKey ? ':' : ''}`
  }

  /** The key or the dash before a value: `if: `. */
  #labelBefore(at: number): string {
    const before = this.#text.slice(this.#text.lastIndexOf('\n', at - 1) + 1, at)
    return /([\w.-]+:[ \t]+|-[ \t]+)(?:&\S+[ \t]+)?$/.exec(before)?.[1]?.trimEnd().concat(' ') ?? ''
  }

  #readNames(): void {
    const refused = this.#errors.filter(({ code }) => code === 'yaml-tag')
    const lines = new Set(refused.map(({ start }) => this.#text.lastIndexOf('\n', start - 1)))
    const anchors = new Set(
      this.#marks.names
        .filter(({ source }) => source[0] === '&')
        .map(({ source }) => source.slice(1)),
    )
    for (const { source, start } of this.#marks.names) {
      const name = source.slice(1)
      const end = start + source.length
      const isExplained = lines.size > 0 && lines.has(this.#text.lastIndexOf('\n', start - 1))
      if (name === '' || isExplained) continue
      if (this.#kind === 'action' && source[0] === '&') {
        const message = 'GitHub does not support anchors in the file of an action'
        this.#errors.push({
          code: 'anchor-name',
          message,
          start,
          end,
          hint: 'write the value twice',
        })
      } else if (!PLAIN_NAME.test(name)) {
        const isText = source[0] === '*' && !anchors.has(name)
        const better = name.replaceAll(/[^\w-]+/g, '-').replaceAll(/^-+|-+$/g, '')
        const example = better === '' ? '' : `: ${source[0]}${better}`
        const message = isText
          ? `YAML reads ${quoted(source)} as an alias`
          : `GitHub refuses the name of ${quoted(source)}`
        const hint = isText
          ? `quote the value: ${this.#labelBefore(start)}${inQuotes(source)}`
          : `use only ASCII letters, digits, "-" and "_"${example}`
        this.#errors.push({ code: 'anchor-name', message, start, end, hint })
      }
    }
  }

  #readDirectives(): void {
    const handles = new Set<string>()
    for (const { source, start } of this.#marks.directives) {
      const [name = '', handle = ''] = source.split(/[ \t]+/)
      const isTag = name === '%TAG' && !handles.has(handle)
      handles.add(handle)
      const hint = 'remove the line'
      if (isTag) {
        const message = 'the directive %TAG has no effect, because GitHub ignores tags'
        this.#warn(start, source.length, message, hint)
      } else {
        const message = `GitHub refuses the directive ${quoted(source.trim())}`
        const end = start + source.length
        this.#errors.push({ code: 'yaml-directive', message, start, end, hint })
      }
    }
  }

  #warn(start: number, length: number, message: string, hint: string): void {
    this.#warnings.push({ code: 'ignored-yaml', message, start, end: start + length, hint })
  }

  #refuse(
    code: Mistake['code'],
    { range }: Scalar,
    message: string,
    hint?: string,
    notes?: readonly string[],
  ): void {
    const [start = 0, end = 0] = range ?? []
    this.#errors.push({ code, message, start, end, ...(hint && { hint }), ...(notes && { notes }) })
  }
}

/** The sections of a workflow, and the one of Hookline. */
export const SECTIONS: ReadonlySet<string> = new Set(
  'name run-name on permissions env defaults concurrency jobs cache-mode hookline'.split(' '),
)

/** Fewer spaces can precede a value of a section that is continued on the next line. */
const STEP_COLUMN = 6

/** The number of spaces before the text of a block scalar that ends at `end`. */
export function columnOfText(text: string, header: number, end: number): number {
  const body = text.slice(text.indexOf('\n', header) + 1, end)
  return /^ *(?=\S)/m.exec(body)?.[0].length ?? 0
}

/** @param end the start of the line that ends the block scalar with this header */
export function endOfBlock(text: string, header: number, end: number): Refusal {
  const line = text.slice(0, header).split('\n').length
  const content = lineFrom(text, end)
  const before = text.slice(text.lastIndexOf('\n', header) + 1, header)
  const [, { length: column } = '', key] = /^( *(?:- +)*)([\w-]+):/.exec(before) ?? []
  const isThere = content.length - content.trimStart().length === column
  const isKey = key !== undefined && !isThere && /^ *[\w-]+:(?!\S)/.test(content)
  const asKey = isKey ? `, or by ${column} if it is a key beside "${key}"` : ''
  return {
    code: 'yaml-syntax',
    message: `YAML: this line ends the text that begins on line ${line}, because it is not indented`,
    start: end + content.length - content.trimStart().length,
    end: end + content.length,
    hint: `indent it by ${columnOfText(text, header, end)} spaces, as the text above${asKey}`,
  }
}

/** Longer values would hide the message. */
const LONGEST_CURE = 120

/** The names of anchors that YamlDotNet 5.3.0 reads. */
const PLAIN_NAME = /^[\w-]+$/

/** Paths of mappings with free names whose values can be mappings: `<<` is such a name. */
const NAMES_IN_WORKFLOW =
  /^(?:jobs\.[^.]*\.(?:services$|strategy\.matrix\.)|on\.workflow_(?:call|dispatch)\.(?:inputs|secrets|outputs)$)/
const NAMES_IN_ACTION = /^(?:$|outputs$|inputs(?:$|\.))/

const NO_BREAK_SPACE = '\u00a0'

export function noBreakSpace(start: number, end: number): Refusal {
  const message = 'YAML: a no-break space (U+00A0) in the indentation'
  return { code: 'yaml-syntax', message, start, end, hint: 'indent with spaces' }
}

function isCore(tag: string): boolean {
  return /^tag:yaml\.org,2002:(?:str|bool|int|float|null)$/.test(tag)
}

function lineFrom(text: string, start: number): string {
  const end = text.indexOf('\n', start)
  return text.slice(start, end < 0 ? undefined : end)
}

/** Whether GitHub reads a scalar with a tag. */
function isAccepted({ tag, type, source = '' }: Scalar): boolean {
  if (tag === `${CORE}str`) return true
  if (type !== Scalar.PLAIN) return false
  if (tag === `${CORE}bool`) return /^(?:true|True|TRUE|false|False|FALSE)$/.test(source)
  if (tag === `${CORE}null`) return /^(?:~|null|Null|NULL)?$/.test(source)
  if (tag === `${CORE}int`) return INTEGER.test(source) && !exceedsInteger(source)
  return tag === `${CORE}float` && FLOAT.test(source)
}

const INTEGER = /^(?:[-+]?\d+|0x[\da-fA-F]+|0o[0-7]+)$/
const FLOAT =
  /^(?:[-+]?(?:\.\d+|\d+(?:\.\d*)?)(?:[eE][-+]?\d+)?|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$/

/** Hexadecimal and octal numbers have at most 32 bits in the runner. */
function exceedsInteger(source: string): boolean {
  return /^(?:0x[\da-fA-F]+|0o[0-7]+)$/.test(source) && Number(source) > 0xffff_ffff
}

/** A key as GitHub compares it with the others of its mapping. */
function comparedKey({ value, type, tag }: Scalar): string {
  const name = String(value)
  if (type !== Scalar.PLAIN || tag !== undefined) return name.toLowerCase()
  if (/^(?:~|null|Null|NULL)$/.test(name)) return ''
  if (!INTEGER.test(name) && !FLOAT.test(name)) return name.toLowerCase()
  if (/nan$/i.test(name)) return 'nan'
  if (/inf$/i.test(name)) return name.startsWith('-') ? '-infinity' : 'infinity'
  return String(Number(name))
}

function inQuotes(text: string): string {
  return /["\\]/.test(text) ? `'${text.replaceAll("'", "''")}'` : `"${text}"`
}
