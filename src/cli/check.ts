import { basename } from 'node:path'
import { Command, Option } from 'commander'
import { DEFAULT_GLOB } from '../action/inputs.ts'
import type { CompileOptions } from '../compiler/compile.ts'
import { githubMessages, newProblems } from '../compiler/github-parser.ts'
import { aheadOfParser, withKeyHints } from '../compiler/key-hints.ts'
import { type NamedFile, originOf } from '../compiler/made-files.ts'
import { mayUseAction, nativeTriggers, readNativeWorkflow } from '../compiler/native.ts'
import { ACTION } from '../compiler/settings.ts'
import { lint } from '../lint/lint.ts'
import { misplacedTriggers } from '../lint/native-problems.ts'
import { findingJson, sarifLog } from '../lint/reports.ts'
import { RuleFile } from '../lint/rule.ts'
import { TRIGGERS } from '../triggers/index.ts'
import { type Finding, ofLevel, type Source, UserError } from '../wire/errors.ts'
import { NATIVE_EVENTS } from '../wire/events.ts'
import { LIMITS } from '../wire/limits.ts'
import { counted, printable, printableJson } from '../wire/printable.ts'
import { asFindings, type Mistake, Refusal } from '../workflow/mistakes.ts'
import type { ParsedFile } from '../workflow/nodes.ts'
import { parseYaml, positionAt } from '../workflow/yaml.ts'
import {
  buildWorkflows,
  type Called,
  calledBy,
  findingsOf,
  scriptProblems,
  tellFindings,
} from './build-workflows.ts'
import { findSourceFiles, NATIVE_FOLDER, nativeFiles, readSource, writeSource } from './files.ts'
import { mendedNative, mendedSource } from './mend.ts'
import { eventOption, platformOption, repositorySettings, stateOption } from './settings-file.ts'
import { print } from './terminal.ts'
import { ownVersion } from './version.ts'

interface CheckCommandOptions extends Omit<CheckOptions, 'root' | 'globs'> {
  readonly json?: boolean
  readonly sarif?: boolean
}

export function checkCommand(): Command {
  return new Command('check')
    .description(
      'show every problem of every workflow file, of ours and of those that use the action',
    )
    .argument(
      '[files...]',
      `workflow files or globs (default: ${DEFAULT_GLOB} and ${NATIVE_FOLDER})`,
    )
    .addOption(stateOption())
    .addOption(eventOption())
    .addOption(platformOption())
    .option('--strict', 'what docs/rules.md marks so is an error, not a warning')
    .option('--fix', 'mend what is safe for certain, in the files themselves')
    .option('--all', 'look at every workflow, also at those that do not use the action')
    .addOption(new Option('--json', 'print one JSON object').conflicts('sarif'))
    .option('--sarif', 'print SARIF 2.1.0, for code scanning')
    .addHelpText('after', '\nExamples:\n  $ hookline check\n  $ hookline check --strict')
    .action(run)
}

async function run(
  globs: string[],
  { json, sarif, ...options }: CheckCommandOptions,
): Promise<void> {
  const checked = await checkWorkflows({ ...options, root: process.cwd(), globs })
  const { count, findings, fixed } = checked
  const [errors, warnings] = [ofLevel(findings, 'error'), ofLevel(findings, 'warning')]
  process.exitCode = errors.length > 0 ? 1 : 0
  if (json) return print(printableJson(JSON.stringify({ findings: findings.map(findingJson) })))
  if (sarif) return print(printableJson(JSON.stringify(sarifLog(findings, ownVersion()))))
  tellFindings(findings)
  for (const { file, count } of fixed) print(printable(`fixed ${file}: ${count} mended`))
  if (count + errors.length === 0) {
    print(globs.length > 0 ? NOT_NAMED : NOT_FOUND)
    return
  }
  const summary =
    findings.length === 0
      ? 'no problems'
      : `${counted(errors.length, 'error')}, ${counted(warnings.length, 'warning')}`
  print(`${counted(count, 'workflow file')}: ${summary}`)
}

const NO_USE = `uses the action (uses: ${ACTION})`
const NOT_FOUND = `nothing to check: no file matches ${DEFAULT_GLOB}, and none in ${NATIVE_FOLDER} ${NO_USE}`
const NOT_NAMED = `nothing to check: none of these files ${NO_USE}`

export interface CheckOptions extends CompileOptions {
  readonly root: string
  readonly globs: readonly string[]
  readonly strict?: boolean
  /** Looks at the workflows that have nothing to do with Hookline, too. */
  readonly all?: boolean
  /** Mends what is safe for certain, in the files, and then looks at what is left. */
  readonly fix?: boolean
}

/** What is wrong, and how many files were looked at. */
export interface Checked {
  readonly count: number
  /** Errors first. */
  readonly findings: readonly Finding[]
  /** Findings that `--fix` took care of, by workflow file. */
  readonly fixed: readonly { readonly file: string; readonly count: number }[]
}

/**
 * Checks workflow files as a build would; nothing is written. Without globs, the files that are
 * compiled, and the native ones that use the action.
 */
export async function checkWorkflows(options: CheckOptions): Promise<Checked> {
  const { root, globs, strict = false, all = false, fix = false } = options
  try {
    const named = globs.length > 0 ? findSourceFiles(root, globs) : defaultFiles(root)
    const isNative = ({ file }: NamedFile) => file.startsWith(`${NATIVE_FOLDER}/`)
    const files = named.map((file) => {
      const source = readSource(root, file.file)
      if (!fix) return { ...file, source, count: 0 }
      if (!isNative(file)) return { ...file, ...mendedSource(source) }
      // What was made of a source is mended there.
      const isLookedAt = (all || mayUseAction(source.text)) && !originOf(source.text)
      return { ...file, ...(isLookedAt ? mendedNative(source) : { source, count: 0 }) }
    })
    const fixed = files.filter(({ count }) => count > 0)
    for (const { file, source } of fixed) writeSource(root, file, source.text)
    const sources = files.filter((file) => !isNative(file))
    const standing = new Map(
      files.filter(isNative).map(({ file, source }) => [basename(file), source.text]),
    )
    const hasSources = sources.length > 0 || defaultSources(root).length > 0
    const called = calledBy(root, hasSources)
    const compiling = { ...repositorySettings(root), ...options, standing }
    const built = await buildWorkflows(sources, compiling, called)
    const checked = await Promise.all(
      files.filter(isNative).map((file) => checkNative(file, called, all)),
    )
    const natives = checked.filter((native) => native !== undefined)
    const findings = findingsOf(built, strict, natives.flat())
    return {
      count: sources.length + natives.length,
      findings,
      fixed: fixed.map(({ file, count }) => ({ file, count })),
    }
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    return { count: 0, findings: asFindings(error.problems, 'error'), fixed: [] }
  }
}

/** @throws UserError when there is neither a file to compile nor a native one */
function defaultFiles(root: string): NamedFile[] {
  const natives = nativeFiles(root)
  if (natives.length === 0) return findSourceFiles(root, [DEFAULT_GLOB])
  return [...defaultSources(root), ...natives]
}

/** The files to compile where nothing else is said; none if there are none. */
function defaultSources(root: string): NamedFile[] {
  try {
    return findSourceFiles(root, [DEFAULT_GLOB])
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    return []
  }
}

/** A step or a job that may run what stands in the same repository. */
const CALLS_ITS_OWN = /[\s'"[{,:][.$]\/\S/

/** A word of the triggers of Hookline, which may stand among the events of GitHub. */
const MAY_DECLARE = new RegExp(`\\b(?:${[...TRIGGERS.keys()].join('|')})\\b`)

/**
 * `undefined` for one that has nothing to do with Hookline, or was compiled: then its source is
 * checked.
 *
 * @param all true to look at one, too, that has nothing to do with Hookline
 */
async function checkNative(
  { name, source }: NamedFile & { readonly source: Source },
  called: Called,
  all: boolean,
): Promise<Finding[] | undefined> {
  const { text } = source
  const mayUse = mayUseAction(text)
  if (!all && !mayUse && !MAY_DECLARE.test(text) && !CALLS_ITS_OWN.test(text)) return undefined
  try {
    if (originOf(text)) return undefined
    const native = mayUse ? readNativeWorkflow(name, source) : undefined
    const file = native ?? { source, document: parseYaml(source) }
    const rules = new RuleFile(file, { ...called, native, isSource: false })
    const isOurs = native !== undefined || (!all && rules.flow.usesAction)
    if (!isOurs && !all) {
      const misplaced = misplacedTriggers(file, false)
      return misplaced.length > 0 ? lint(rules).filter(isMisplaced) : undefined
    }
    const found = lint(rules)
    if (!isOurs) return found
    const inline = asFindings(inlineProblems(file), 'error')
    const own = [...inline, ...found]
    const fromGitHub = (await githubProblems(source)).slice(0, LIMITS.problems)
    const unsaid = newProblems(fromGitHub, ofLevel(own, 'error'))
    return [...own, ...withKeyHints(file.document, aheadOfParser(file.document, unsaid))]
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    if (!mayUse && !all) return undefined
    return asFindings(error.problems, 'error')
  }
}

function isMisplaced({ code }: Finding): boolean {
  return code === 'misplaced-trigger'
}

async function githubProblems(source: Source): Promise<Mistake[]> {
  const messages = await githubMessages({ name: source.file, text: source.text })
  // The parser knows some events as keys only, not as `on: repository_dispatch`.
  const told = messages.filter(
    ({ code, subject = '' }) => code !== 'unexpected-value' || !NATIVE_EVENTS.has(subject),
  )
  return told.map(({ start, end, ...problem }) => ({
    ...problem,
    position: positionAt(source, start, end),
  }))
}

function inlineProblems(native: ParsedFile): readonly Mistake[] {
  try {
    return scriptProblems(nativeTriggers(native))
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return error.problems
  }
}
