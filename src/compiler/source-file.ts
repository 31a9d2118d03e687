import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  type Node,
  visit,
  type YAMLMap,
} from 'yaml'
import { TRIGGERS } from '../triggers/index.ts'
import type { Source } from '../wire/errors.ts'
import { type Json, record } from '../wire/json.ts'
import { DocumentLines } from '../workflow/document.ts'
import type { Contexts } from '../workflow/expressions.ts'
import * as expressions from '../workflow/expressions.ts'
import { type FileExpression, fileExpressions, referencesIn } from '../workflow/file-expressions.ts'
import { FatalMistake, type Mistake } from '../workflow/mistakes.ts'
import { type NativeEvent, readOn, type SourceTrigger } from '../workflow/on.ts'
import type { Where } from '../workflow/operations.ts'
import { columnOf } from '../workflow/spans.ts'
import {
  type NodePair,
  nodeBelow,
  pairKey,
  pairsOf,
  positionAt,
  rangeOf,
  resolved,
} from '../workflow/yaml.ts'
import { readSettingsKey, SETTINGS_KEY, type WrittenSettings } from './compiler-settings.ts'
import { keyMeantBy } from './key-hints.ts'

/** A parsed workflow file with Hookline's triggers. */
export interface SourceFile {
  /**
   * File name without its extension, which is part of webhook URLs and of the names of compiled
   * files.
   */
  readonly name: string
  readonly source: Source
  readonly document: Document.Parsed
  readonly lines: DocumentLines
  /** Top-level keys with their values, in the order of the file. */
  readonly sections: ReadonlyMap<string, NodePair>
  readonly on: NodePair
  readonly jobs: NodePair
  /** Every expression of the file, in its order. */
  readonly expressions: readonly FileExpression[]
  readonly triggers: readonly SourceTrigger[]
  readonly native: readonly NativeEvent[]
  /**
   * Mistakes of the `on:` section and of the settings. With any of them, the file cannot be
   * compiled.
   */
  readonly problems: readonly Mistake[]
  /** False if a mistake hides others. */
  readonly isWhole: boolean
  /** The compiler settings in the file. */
  readonly settings: WrittenSettings
}

/** Keys that concern the whole workflow, so only the listening file has them. */
export const LISTENING_KEYS: readonly string[] = ['name', 'run-name']

/** @throws UserError with all mistakes of the `on:` section, or with a missing part of the file */
export function readSourceFile(name: string, source: Source): SourceFile {
  const lines = DocumentLines.of(source)
  const document = lines.yaml
  const sections = readSections(source, document)
  const on = required(source, sections, 'on')
  const jobs = required(source, sections, 'jobs')
  const contexts = placeholderContexts(source.text, on.value)
  const known = { contexts, expressions, triggers: TRIGGERS }
  const reading = { source, document, ...known, placeholders: true }
  const { triggers, native, problems, isWhole } = readOn(reading, on.value)
  const settings = readSettingsKey(source, document, sections.get(SETTINGS_KEY))
  return {
    name,
    source,
    document,
    lines,
    sections,
    on,
    jobs,
    expressions: fileExpressions(source.text, document.contents, []),
    triggers,
    native,
    settings,
    problems: [...problems, ...settings.problems],
    isWhole,
  }
}

function required(source: Source, sections: ReadonlyMap<string, NodePair>, key: string): NodePair {
  const section = sections.get(key)
  if (key === 'jobs' && section?.value && !isMap(section.value) && !isAlias(section.value)) {
    throw new FatalMistake({
      code: 'not-a-workflow',
      message: '"jobs:" is not a mapping',
      position: positionAt(source, ...rangeOf(section.value)),
      hint: 'write the id of each job as a key: "build:"',
    })
  }
  if (section?.value) return section
  const runs = sections.get('runs')
  if (runs && !sections.has('on') && !sections.has('jobs')) {
    throw new FatalMistake({
      code: 'not-a-workflow',
      message: `${source.name} is an action, not a workflow`,
      position: positionAt(source, ...rangeOf(runs.key)),
      hint: 'name the workflow that uses the action',
    })
  }
  const misspelled = [...sections].find(([name]) => keyMeantBy(name) === key)?.[1]
  const near = section ?? misspelled ?? sections.get('on') ?? [...sections.values()][0]
  const what =
    key === 'jobs' ? 'a workflow needs at least one job under "jobs:"' : 'it names the triggers'
  throw new FatalMistake({
    code: 'not-a-workflow',
    message: `${source.name} has no "${key}:" section`,
    ...(near && { position: positionAt(source, ...rangeOf(near.key)) }),
    hint: near !== undefined && near === misspelled ? `did you mean "${key}"?` : what,
  })
}

function readSections(source: Source, document: Document.Parsed): Map<string, NodePair> {
  const { contents } = document
  if (!isMap(contents))
    throw new FatalMistake({
      code: 'not-a-workflow',
      message: `${source.name} is not a workflow file`,
      hint: 'a workflow file has the keys "on:" and "jobs:"',
    })
  if (contents.flow) {
    throw new FatalMistake({
      code: 'unsupported-yaml',
      message: 'the compiler does not support braces at the top level of a workflow file',
      position: positionAt(source, ...rangeOf(contents)),
    })
  }
  const pairs = pairsOf(contents)
  const jobs = pairs.find((pair) => pairKey(pair) === 'jobs')?.value
  const perJob = isMap(jobs) ? pairsOf(jobs) : []
  const inJobs = perJob.flatMap(({ value }) => (isMap(value) ? pairsOf(value) : []))
  // `? on` with its value on a line of its own.
  const explicit = [...pairs, ...perJob, ...inJobs].filter(({ key }) => {
    const [start] = rangeOf(key)
    return /\?[ \t]*$/.test(source.text.slice(start - columnOf(source.text, start), start))
  })
  if (explicit.length > 0) {
    throw new FatalMistake(
      explicit.map(({ key }) => ({
        code: 'unsupported-yaml',
        message: 'the compiler does not support a key after "?"',
        position: positionAt(source, ...rangeOf(key)),
        hint: `write "${key}:"`,
      })),
    )
  }
  return new Map(pairs.map((pair) => [pairKey(pair), pair]))
}

/** True if the source has this event of GitHub under `on:`. */
export function listensTo({ native }: SourceFile, event: string): boolean {
  return native.some(({ name }) => name === event)
}

export interface SourceJob {
  readonly id: string
  /** If its value is an alias or no mapping, it cannot be edited. */
  readonly pair: NodePair
  /** Its value, with an alias resolved. */
  readonly content: Node | undefined
  readonly needs: readonly string[]
}

export function jobsOf({ document, jobs }: SourceFile): SourceJob[] {
  if (!isMap(jobs.value)) return []
  return pairsOf(jobs.value).map((pair) => {
    const content = resolved(document, pair.value)
    const needs = nodeBelow(document, content, 'needs')
    const ids = isSeq(needs) ? needs.items.map((item) => resolved(document, item)) : [needs]
    return {
      id: pairKey(pair),
      pair,
      content,
      needs: ids.flatMap((id) => (isScalar(id) && id.value !== null ? [String(id.value)] : [])),
    }
  })
}

/** Keys at the top of a job; new keys are inserted after them. */
const HEAD_KEYS = ['needs', 'if']

/** The position of new keys of a job: after related keys, or else after the job's name. */
export function topOfJob(node: YAMLMap): Where {
  const names = pairsOf(node).map(pairKey)
  const head = names.findLast((name) => HEAD_KEYS.includes(name))
  const after = head ?? (names[0] === 'name' ? 'name' : undefined)
  return after === undefined ? 'first' : { after }
}

/** The placeholder for a secret or a variable before a run; it has the form of a bot token. */
const PLACEHOLDER = '1:placeholder'

/** Contexts with a placeholder for every secret and variable that a node reads. */
export function placeholderContexts(text: string, node: unknown): Contexts {
  const expressions = fileExpressions(text, node, [])
  const context = (name: string) =>
    record<Json>(namesAmong(expressions, name).map((key) => [key, PLACEHOLDER]))
  return {
    secrets: context('secrets'),
    vars: context('vars'),
    github: record<Json>([]),
    env: context('env'),
  }
}

/** The names that a node reads from a context, without duplicates; names are case-insensitive. */
export function namesIn(text: string, node: unknown, context: string): string[] {
  return namesAmong(fileExpressions(text, node, []), context)
}

function namesAmong(expressions: readonly FileExpression[], context: string): string[] {
  const names = expressions.flatMap((expression) =>
    referencesIn(expression.text, context).flatMap(({ steps }) => steps[0]?.name ?? []),
  )
  return [
    ...new Map(names.toReversed().map((name) => [name.toLowerCase(), name])).values(),
  ].reverse()
}

/**
 * Aliases whose anchors move to another document. For example, the triggers become an input of the
 * action, whose anchors are not visible outside.
 *
 * @param partOf identifies the document of a node; the name itself has no meaning
 */
export function aliasProblems(file: SourceFile, partOf: (node: Node) => string): Mistake[] {
  if (!file.source.text.includes('*')) return []
  const problems: Mistake[] = []
  visit(file.document, {
    Alias(_, alias) {
      const anchor = alias.resolve(file.document)
      if (!anchor || partOf(alias) === partOf(anchor)) return
      problems.push({
        code: 'alias-moved',
        message: `the alias "*${alias.source}" and its anchor would be in two files`,
        position: positionAt(file.source, ...rangeOf(alias)),
        hint: 'write the value here instead of the alias',
      })
    },
  })
  return problems
}

export function isInTrigger({ triggers }: SourceFile, node: Node): boolean {
  return triggers.some(({ nodes }) => isWithinNode(nodes.value, node))
}

export function isWithinNode(part: Node | null, node: Node): boolean {
  const [at] = rangeOf(node)
  return part !== null && at >= rangeOf(part)[0] && at < rangeOf(part)[1]
}
