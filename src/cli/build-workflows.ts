import { existsSync } from 'node:fs'
import { join, posix } from 'node:path'
import { Script } from 'node:vm'
import { isMap } from 'yaml'
import { type Compiled, type CompileOptions, compile, saidOf } from '../compiler/compile.ts'
import { withKeyHints } from '../compiler/key-hints.ts'
import { madeProblems, type NamedFile, nameProblems } from '../compiler/made-files.ts'
import { unwrittenFlags } from '../compiler/settings.ts'
import { readSourceFile, type SourceFile } from '../compiler/source-file.ts'
import { IMPORT } from '../engine/scripts.ts'
import type { ReadCalled } from '../lint/contexts.ts'
import { Callees } from '../lint/flow/flow.ts'
import { levelOf, lint, withRule } from '../lint/lint.ts'
import { RuleFile } from '../lint/rule.ts'
import { type Finding, ofLevel, type Problem, type Source, UserError } from '../wire/errors.ts'
import { renderProblem } from '../workflow/code-frame.ts'
import { hasExpression } from '../workflow/expressions.ts'
import { asFindings, type Mistake, Refusal } from '../workflow/mistakes.ts'
import type { SourceTrigger } from '../workflow/on.ts'
import { parseYaml } from '../workflow/yaml.ts'
import { readSource } from './files.ts'

/** A workflow file with its text. */
export interface WorkflowText extends NamedFile {
  readonly source: Source
}

/** What the files of a repository call, and whether there are sources among them. */
export interface Called {
  readonly callees: Callees
  readonly read: ReadCalled
  readonly hasSources: boolean
}

/** What became of one workflow file. */
interface BuiltWorkflow {
  readonly source: NamedFile
  /** `undefined` where it has no trigger, or cannot be compiled. */
  readonly compiled: Compiled | undefined
  readonly findings: readonly Finding[]
  /** Flags that a build without them would undo. */
  readonly unwritten: readonly Problem[]
}

/** Compiles workflow files in memory; the mistakes of one file do not hide those of another. */
export async function buildWorkflows(
  files: readonly WorkflowText[],
  options: CompileOptions,
  called: Called,
): Promise<readonly BuiltWorkflow[]> {
  const wrong = nameProblems(files)
  // One after the other: so what a file was read into is let go of before the next one.
  const built: BuiltWorkflow[] = []
  for (const file of files) {
    const misnamed = asFindings(wrong.get(file) ?? [], 'error')
    built.push(await buildWorkflow(file, options, called, misnamed))
  }
  return built
}

/**
 * What is wrong with workflow files, errors first: `check` and `build` say the same.
 *
 * @param natives findings in workflows of GitHub's own
 */
export function findingsOf(
  built: readonly BuiltWorkflow[],
  isStrict: boolean,
  natives: readonly Finding[] = [],
): Finding[] {
  const made = asFindings(madeProblems(madeFiles(built)), 'error')
  const findings = onceEach([...built.flatMap((one) => one.findings), ...made, ...natives])
  // What --strict makes an error of comes last of these.
  const byLevel = findings.toSorted((one, other) => one.level.localeCompare(other.level))
  const told = byLevel.map((one) => ({ ...one, level: levelOf(one, isStrict) }))
  return [...ofLevel(told, 'error'), ...ofLevel(told, 'warning')]
}

/** Says on standard error what was found, what is worst last. */
export function tellFindings(findings: readonly Finding[]): void {
  for (const finding of [...ofLevel(findings, 'warning'), ...ofLevel(findings, 'error')]) {
    process.stderr.write(`${renderProblem(withRule(finding), finding.level)}\n`)
  }
}

/** A file that several others call is looked into for each of them. */
export function onceEach<Told extends Problem>(problems: readonly Told[]): Told[] {
  const places = problems.map((problem) => {
    const { source, line, column } = problem.position ?? {}
    const place = source ? `${source.file}:${line}:${column}` : problem.notes?.join()
    return [`${place}:${problem.message}`, problem] as const
  })
  return [...new Map(places).values()]
}

/** Finds the workflows and actions that those of a repository call. */
function calledIn(root: string): ReadCalled {
  return (called) => {
    const path = posix.normalize(called).replace(/\/$/, '')
    const files = /\.ya?ml$/.test(path) ? [path] : [`${path}/action.yml`, `${path}/action.yaml`]
    const file = files.find((one) => !one.startsWith('..') && existsSync(join(root, one)))
    try {
      const source = file === undefined ? undefined : readSource(root, file)
      return source && { source, document: parseYaml(source) }
    } catch (error) {
      if (!(error instanceof UserError)) throw error
      return undefined // its mistakes are told by others
    }
  }
}

/** @param hasSources whether there are workflow files that the action reads where `on` is empty */
export function calledBy(root: string, hasSources: boolean): Called {
  const read = calledIn(root)
  return { callees: new Callees(read), read, hasSources }
}

export function madeFiles(built: readonly BuiltWorkflow[]) {
  return built.flatMap(({ source, compiled }) =>
    (compiled?.files ?? []).map((file) => ({ source: source.file, file })),
  )
}

/** @param misnamed what stands against its name: then it is looked at, and not compiled */
async function buildWorkflow(
  { source, ...named }: WorkflowText,
  options: CompileOptions,
  called: Called,
  misnamed: readonly Finding[],
): Promise<BuiltWorkflow> {
  let nothing = { source: named, compiled: undefined, unwritten: [] as readonly Problem[] }
  let findings = misnamed
  let file: SourceFile | undefined
  try {
    file = readSourceFile(named.name, source)
    nothing = { ...nothing, unwritten: unwrittenFlags(named.file, saidOf(file, options)) }
    if (misnamed.length > 0 && file.problems.length > 0) throw new Refusal(file.problems)
    if (file.triggers.length === 0 && file.problems.length === 0) {
      const message = `${named.file} has no trigger of Hookline, so it is not compiled`
      const notes = ['a workflow of GitHub events alone belongs into .github/workflows/ as it is']
      const idle = { level: 'warning', code: 'no-trigger', message, notes } as const
      return { ...nothing, findings: [...misnamed, idle] }
    }
    if (file.problems.length > 0) await compile(file, options)
    const scripts = asFindings(scriptProblems(file.triggers), 'error')
    findings = [
      ...misnamed,
      ...lint(new RuleFile(file, { ...called, isSource: true, triggers: file.triggers })),
      ...scripts,
    ]
    if (misnamed.length > 0) return { ...nothing, findings }
    const compiled = await compile(file, options)
    return { ...nothing, compiled, findings: [...findings, ...compiled.findings] }
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    const problems = file ? withKeyHints(file.document, error.problems) : error.problems
    const own = new Set(findings.filter(({ level }) => level === 'error').map(keyOf))
    const told = asFindings(problems, 'error')
    return { ...nothing, findings: [...findings, ...told.filter((one) => !own.has(keyOf(one)))] }
  }
}

function keyOf({ position, code }: Finding): string {
  return `${code}:${position?.line}:${position?.column}`
}

/** The options of `config` that are JavaScript. */
const SCRIPTS = ['filterScript', 'sortScript', 'format'] as const

/** Scripts that would not compile at run time. One with an expression in it is not known before. */
export function scriptProblems(
  triggers: readonly Pick<SourceTrigger, 'nodes' | 'positionOf'>[],
): Mistake[] {
  return triggers.flatMap((trigger) =>
    SCRIPTS.flatMap((option) => {
      const { value: options } = trigger.nodes
      // As the file has it, before expressions are filled in.
      const script = isMap(options) ? options.getIn(['config', option]) : undefined
      if (typeof script !== 'string' || hasExpression(script)) return []
      const mistake = syntaxMistake(script)
      if (mistake === undefined) return []
      const message = `config.${option}: does not compile: ${mistake}`
      return [{ code: 'bad-script', message, position: trigger.positionOf(['config', option]) }]
    }),
  )
}

function syntaxMistake(body: string): string | undefined {
  if (IMPORT.test(body)) return 'there is no import'
  try {
    new Script(`(function () {\n${body}\n})`)
    return undefined
  } catch (error) {
    return (error as Error).message // of whichever realm, the engine throws nothing else
  }
}
