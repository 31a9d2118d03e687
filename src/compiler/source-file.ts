import { type Document, isMap, type Node, type Pair } from 'yaml'
import { type Problem, type Source, UserError } from '../wire/errors.ts'
import { LIMITS } from '../wire/limits.ts'
import type { Reading, TriggerNodes } from '../workflow/options.ts'
import { type DeclaredTrigger, onEntries, readEntry } from '../workflow/workflow.ts'
import { parseYaml, positionAt, rangeOf } from '../workflow/yaml.ts'
import { keyOf } from './file-expressions.ts'
import type { Stretch } from './scalar-text.ts'
import { standInContexts } from './stand-ins.ts'

/** A top-level key of a workflow file with its value, as whole lines. */
export interface Section extends Stretch {
  readonly key: Node
  readonly value: Node | null
}

/** A trigger as the file declares it. */
export interface SourceTrigger extends DeclaredTrigger {
  readonly nodes: TriggerNodes
}

/** An event of GitHub's own that the file listens to as well. */
export interface NativeEvent {
  readonly name: string
  readonly nodes: TriggerNodes
}

/** A workflow file with Hookline's triggers in it, taken apart. */
export interface SourceFile {
  /** File name without its extension: what webhook URLs, and the compiled files, are named by. */
  readonly name: string
  readonly source: Source
  readonly document: Document.Parsed
  /** By key, in the order of the file. */
  readonly sections: ReadonlyMap<string, Section>
  readonly on: Section
  readonly triggers: readonly SourceTrigger[]
  readonly native: readonly NativeEvent[]
}

/** @throws UserError with all mistakes of the `on:` section, or naming what the file lacks */
export function readSourceFile(name: string, source: Source): SourceFile {
  const document = parseYaml(source)
  checkAliases(source, document)
  const sections = readSections(source, document)
  const on = required(source, sections, 'on')
  required(source, sections, 'jobs')
  const contexts = standInContexts(source.text, on.value)
  const reading = { source, document, contexts, standIns: true }
  return { name, source, document, sections, on, ...readTriggers(reading, on.value) }
}

/** From here on every part of the document has a value. */
function checkAliases({ name }: Source, document: Document.Parsed): void {
  try {
    document.toJS({ maxAliasCount: LIMITS.yamlAliases })
  } catch (cause) {
    const message = `${name}: an alias is unknown, or used too often`
    throw new UserError({ message, notes: ['every *name needs an &name before it'] }, { cause })
  }
}

function readTriggers(reading: Reading, on: Node | null) {
  const problems: Problem[] = []
  const triggers: SourceTrigger[] = []
  const native: NativeEvent[] = []
  for (const nodes of onEntries(reading, on)) {
    const entry = readEntry(reading, nodes)
    problems.push(...(entry.problems ?? []))
    if (entry.trigger) triggers.push({ ...entry.trigger, nodes })
    else if (!entry.problems) native.push({ name: nameOf(nodes), nodes })
  }
  if (problems.length > 0) throw new UserError(problems)
  return { triggers, native }
}

function nameOf({ key, options }: TriggerNodes): string {
  return keyOf({ key, value: options } as Pair)
}

function required(source: Source, sections: ReadonlyMap<string, Section>, key: string): Section {
  const section = sections.get(key)
  if (section?.value) return section
  throw new UserError({ message: `${source.name} has no "${key}:" section` })
}

function readSections(source: Source, document: Document.Parsed): Map<string, Section> {
  const { contents } = document
  if (!isMap(contents)) throw new UserError({ message: `${source.name} is no workflow file` })
  if (contents.flow) {
    throw new UserError({
      message: 'the top level of a workflow file to be compiled is written as lines, not in braces',
      position: positionAt(source, ...rangeOf(contents)),
    })
  }
  const pairs = contents.items as Pair<Node, Node | null>[] // a parsed document holds nodes only
  return new Map(pairs.map((pair) => [keyOf(pair), sectionOf(source.text, pair)]))
}

function sectionOf(text: string, { key, value }: Pair<Node, Node | null>): Section {
  return { key, value, ...linesOf(text, rangeOf(key)[0], value ? rangeOf(value)[1] : 0) }
}

/** The lines on which a stretch stands, the line break of the last one included. */
export function linesOf(text: string, start: number, end: number): Stretch {
  const last = start + text.slice(start, Math.max(start + 1, end)).trimEnd().length
  const lineEnd = text.indexOf('\n', Math.max(start, last - 1))
  return {
    start: text.lastIndexOf('\n', start - 1) + 1,
    end: lineEnd < 0 ? text.length : lineEnd + 1,
  }
}
