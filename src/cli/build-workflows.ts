import { existsSync } from 'node:fs'
import { basename, join, posix } from 'node:path'
import { Script } from 'node:vm'
import { isMap } from 'yaml'
import { checkFile, levelOf, withRule } from '../check/check.ts'
import { type RepositoryFiles, RuleFile } from '../check/rule.ts'
import { misplacedTriggers } from '../check/rules/misplaced-trigger.ts'
import { type CompileOptions, compile } from '../compiler/compile.ts'
import {
  type CompiledFile,
  collisionsIn,
  type NamedFile,
  nameProblems,
  originOf,
} from '../compiler/compiled-files.ts'
import { githubProblems, newProblems } from '../compiler/github-parser.ts'
import { unknownKeyFindings, withKeyHints } from '../compiler/key-hints.ts'
import { mayUseAction, readNativeWorkflow } from '../compiler/native.ts'
import { readSourceFile, type SourceFile } from '../compiler/source-file.ts'
import { IMPORT } from '../engine/scripts.ts'
import { TRIGGERS } from '../triggers/index.ts'
import { type Finding, ofLevel, type Problem, type Source, UserError } from '../wire/errors.ts'
import { renderProblem } from '../workflow/code-frame.ts'
import { hasExpression } from '../workflow/expression-text.ts'
import { asFindings, type Mistake } from '../workflow/mistakes.ts'
import type { SourceTrigger } from '../workflow/on.ts'
import { parseYaml, yamlWarnings } from '../workflow/yaml.ts'
import { defaultSources, isNative, readSource } from './files.ts'
import { repositorySettings } from './settings-file.ts'
import { styled } from './terminal.ts'

export interface WorkflowText extends NamedFile {
  readonly source: Source
}

interface BuiltWorkflow {
  readonly source: NamedFile
  /** The compiled files; none if the source has an error, or no trigger of Hookline. */
  readonly files: readonly CompiledFile[]
  readonly findings: readonly Finding[]
  /** Whether a finding is an error; the source's compiled files then stay as they are. */
  readonly hasErrors: boolean
}

/** Compiles workflow files in memory. An error in one file does not affect the others. */
export async function buildWorkflows(
  files: readonly WorkflowText[],
  options: CompileOptions & { readonly strict?: boolean },
  called: RepositoryFiles,
): Promise<readonly BuiltWorkflow[]> {
  const isStrict = options.strict ?? false
  const misnamed = nameProblems(files)
  const built: Omit<BuiltWorkflow, 'hasErrors'>[] = []
  // One file after the other, so that the memory of each is free before the next one.
  for (const file of files) {
    const one = await buildWorkflow(file, options, called, misnamed.get(file) ?? [])
    built.push({ ...one, findings: leveled(one.findings, isStrict) })
  }
  const collisions = collisionsIn(filesWithSources(built))
  return built.map((one) => {
    const own = collisions.filter(({ sources }) => sources.includes(one.source.file))
    const mistakes = own.map(({ mistake }) => mistake)
    const findings = [...one.findings, ...asFindings(mistakes, 'error')]
    const hasErrors = ofLevel(findings, 'error').length > 0
    return { ...one, findings, hasErrors, files: hasErrors ? [] : one.files }
  })
}

function leveled(findings: readonly Finding[], isStrict: boolean): Finding[] {
  return findings.map((one) => ({ ...one, level: levelOf(one, isStrict) }))
}

/**
 * Returns the findings of `buildWorkflows`, errors first, each of them once.
 *
 * @param others findings in native workflows and in called files
 */
export function findingsOf(
  built: readonly BuiltWorkflow[],
  isStrict: boolean,
  others: readonly Finding[],
): Finding[] {
  const all = [...built.flatMap((one) => one.findings), ...leveled(others, isStrict)]
  const findings = onceEach(all)
  return [...ofLevel(findings, 'error'), ...ofLevel(findings, 'warning')]
}

/** Prints findings on standard error, errors last, so that they stay visible in a terminal. */
export function printFindings(findings: readonly Finding[]): void {
  for (const finding of [...ofLevel(findings, 'warning'), ...ofLevel(findings, 'error')]) {
    const text = renderProblem(withRule(finding), finding.level)
    process.stderr.write(`${colored(text, finding.level)}\n`)
  }
}

/** On a terminal, the level and the marked characters have a color. */
function colored(text: string, level: Finding['level']): string {
  const color = level === 'error' ? 'red' : 'yellow'
  return text
    .replace(/^\w+:/, (title) => styled(process.stderr, [color, 'bold'], title))
    .replace(/^( *\| +)(\^.*)$/m, (_, margin: string, mark: string) => {
      return `${margin}${styled(process.stderr, color, mark)}`
    })
}

/** Removes duplicates, such as a file that was named twice. */
function onceEach<Found extends Problem>(problems: readonly Found[]): Found[] {
  const places = problems.map((problem) => {
    const { source, line, column } = problem.position ?? {}
    const place = source ? `${source.file}:${line}:${column}` : problem.notes?.join()
    return [`${place}:${problem.message}`, problem] as const
  })
  return [...new Map(places).values()]
}

/**
 * Reads the file of a repository in which a step names its triggers.
 *
 * @param findings gets the mistakes of a file that cannot be read, and what GitHub ignores in others
 */
function filesIn(root: string, findings: Finding[]): RepositoryFiles['read'] {
  return (named) => {
    const path = posix.normalize(named)
    const file = !path.startsWith('..') && existsSync(join(root, path)) ? path : undefined
    try {
      const source = file === undefined ? undefined : readSource(root, file)
      if (!source) return undefined
      const document = parseYaml(source)
      findings.push(...asFindings(yamlWarnings(source, document), 'warning'))
      return { source, document }
    } catch (error) {
      if (!(error instanceof UserError)) throw error
      findings.push(...asFindings(error.problems, 'error'))
      return undefined
    }
  }
}

/**
 * The files of a repository that its workflows name, with the findings of reading them until now.
 *
 * @param hasSources whether the repository has sources, which the action reads if its input `on` is empty
 */
export function repositoryFiles(root: string, hasSources: boolean) {
  const findings: Finding[] = []
  return { read: filesIn(root, findings), hasSources, findings }
}

export function filesWithSources(built: readonly Pick<BuiltWorkflow, 'source' | 'files'>[]) {
  return built.flatMap(({ source, files }) => files.map((file) => ({ source: source.file, file })))
}

async function buildWorkflow(
  { source, ...named }: WorkflowText,
  options: CompileOptions,
  called: RepositoryFiles,
  misnamed: readonly Mistake[],
): Promise<Omit<BuiltWorkflow, 'hasErrors'>> {
  const result = { source: named, files: [], findings: asFindings(misnamed, 'error') }
  let file: SourceFile
  try {
    file = readSourceFile(named.name, source)
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    const findings = [...result.findings, ...asFindings(error.problems, 'error')]
    return { ...result, findings }
  }
  if (file.triggers.length === 0 && file.problems.length === 0) {
    const idle: Finding = {
      level: 'warning',
      code: 'no-trigger',
      message: `${named.file} has no trigger of Hookline, so it is not compiled`,
      notes: ['move a workflow without triggers of Hookline to .github/workflows/'],
    }
    return { ...result, findings: [...result.findings, idle] }
  }
  // The passes write the file name into expressions, so an invalid name is not compiled.
  const compiled =
    misnamed.length > 0
      ? { files: [], findings: asFindings(file.problems, 'error') }
      : await compile(file, options)
  // Rules read the triggers, so they run only if the "on:" section has no mistake.
  const rules =
    file.problems.length > 0
      ? []
      : [
          ...checkFile(new RuleFile(file, called, { source: file })),
          ...asFindings(scriptProblems(file.triggers), 'error'),
        ]
  const reported = new Set(ofLevel(rules, 'error').map(findingKey))
  const others = withKeyHints(file.document, compiled.findings)
  const findings = [
    ...result.findings,
    ...rules,
    ...others.filter((one) => one.level !== 'error' || !reported.has(findingKey(one))),
  ]
  return { ...result, findings, files: compiled.files }
}

function findingKey({ position, code }: Finding): string {
  return `${code}:${position?.line}:${position?.column}`
}

/** The options of `config` that are JavaScript. */
const SCRIPTS = ['filterScript', 'sortScript', 'format'] as const

/** Returns the syntax errors of scripts. A script with an expression in it is known only at run time. */
function scriptProblems(
  triggers: readonly Pick<SourceTrigger, 'nodes' | 'positionOf'>[],
): Mistake[] {
  return triggers.flatMap((trigger) =>
    SCRIPTS.flatMap((option) => {
      const { value: options } = trigger.nodes
      // The text before expressions are filled in.
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
    return (error as Error).message // from another realm, but the engine throws only errors
  }
}

export interface FindingOptions extends CompileOptions {
  readonly root: string
  readonly strict?: boolean
}

export interface NotChecked {
  readonly file: string
  /** `does not use Hookline` */
  readonly reason: string
  /** The checked source of a compiled file. */
  readonly source?: string
}

/**
 * The findings in workflow files, errors first, and the number of checked files. `check` and `dev` show all
 * of them, and `build` those in its sources.
 */
export async function findingsIn(files: readonly WorkflowText[], options: FindingOptions) {
  const { root, strict = false } = options
  try {
    const sources = files.filter((file) => !isNative(file))
    const existing = new Map(
      files.filter(isNative).map(({ file, source }) => [basename(file), source.text]),
    )
    const repository = repositoryFiles(root, hasSources(root, sources))
    const compiling = { ...repositorySettings(root), ...options, existing }
    const built = await buildWorkflows(sources, compiling, repository)
    const notChecked: NotChecked[] = []
    const natives: Finding[] = []
    let count = sources.length
    for (const file of files.filter(isNative)) {
      const checked = await checkNative(file, repository)
      if ('reason' in checked) notChecked.push({ file: file.file, ...checked })
      else natives.push(...checked)
      count += 'reason' in checked ? 0 : 1
    }
    return {
      count,
      findings: findingsOf(built, strict, [...natives, ...repository.findings]),
      notChecked,
    }
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    return { count: 0, findings: asFindings(error.problems, 'error'), notChecked: [] }
  }
}

export function hasSources(root: string, sources: readonly unknown[]): boolean {
  return sources.length > 0 || defaultSources(root).length > 0
}

/** The name of a trigger of Hookline, which may be among the events of GitHub. */
const MAY_DECLARE = new RegExp(`\\b(?:${[...TRIGGERS.keys()].join('|')})\\b`)

const UNUSED = { reason: 'does not use Hookline' }

/** The findings in a workflow of GitHub, or the reason why it is not checked. */
async function checkNative(
  { name, source }: WorkflowText,
  repository: RepositoryFiles,
): Promise<Finding[] | Omit<NotChecked, 'file'>> {
  const { text } = source
  const mayUse = mayUseAction(text)
  if (!mayUse && !MAY_DECLARE.test(text)) return UNUSED
  const origin = originOf(text)
  if (origin) {
    return { reason: `is compiled from ${origin}, which is checked instead`, source: origin }
  }
  try {
    const native = mayUse ? readNativeWorkflow(name, source) : undefined
    const file = native ?? { source, document: parseYaml(source) }
    if (!native) {
      const rules = new RuleFile(file, repository)
      return misplacedTriggers(rules).length > 0 ? checkFile(rules) : UNUSED
    }
    const rules = new RuleFile(file, repository, { native })
    const { triggers, problems } = rules.declared
    const mistakes = [...problems, ...scriptProblems(triggers)]
    const own = [...asFindings(mistakes, 'error'), ...checkFile(rules)]
    const others = newProblems(await githubProblems(file), ofLevel(own, 'error'))
    return [...own, ...withKeyHints(file.document, unknownKeyFindings(file.document, others))]
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    return mayUse ? asFindings(error.problems, 'error') : UNUSED
  }
}
