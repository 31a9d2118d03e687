import { basename } from 'node:path'
import type { CompileOptions } from '../compiler/compile.ts'
import { originOf } from '../compiler/compiled-files.ts'
import { githubMessages, newProblems } from '../compiler/github-parser.ts'
import { unknownKeyFindings, withKeyHints } from '../compiler/key-hints.ts'
import { mayUseAction, nativeTriggers, readNativeWorkflow } from '../compiler/native.ts'
import { lint } from '../lint/lint.ts'
import { type RepositoryFiles, RuleFile } from '../lint/rule.ts'
import { misplacedTrigger, misplacedTriggers } from '../lint/rules/misplaced-trigger.ts'
import { TRIGGERS } from '../triggers/index.ts'
import { type Finding, ofLevel, type Source, UserError } from '../wire/errors.ts'
import { NATIVE_EVENTS } from '../wire/events.ts'
import { LIMITS } from '../wire/limits.ts'
import { asFindings, FatalMistake, type Mistake } from '../workflow/mistakes.ts'
import { childOf, type ParsedFile } from '../workflow/nodes.ts'
import { parseYaml, positionAt } from '../workflow/yaml.ts'
import {
  buildWorkflows,
  calledFiles,
  findingsOf,
  scriptProblems,
  type WorkflowText,
} from './build-workflows.ts'
import { defaultSources, isNative } from './files.ts'
import { repositorySettings } from './settings-file.ts'

export interface FindingOptions extends CompileOptions {
  readonly root: string
  readonly strict?: boolean
  /** Checks workflows that do not use Hookline, too. */
  readonly all?: boolean
}

/**
 * The findings in workflow files, errors first. `check` and `dev` show all of them, and `build` those in
 * its sources.
 *
 * @returns the number of files that were checked, and the findings
 */
export async function findingsIn(
  files: readonly WorkflowText[],
  options: FindingOptions,
): Promise<{ readonly count: number; readonly findings: readonly Finding[] }> {
  const { root, strict = false, all = false } = options
  try {
    const sources = files.filter((file) => !isNative(file))
    const existing = new Map(
      files.filter(isNative).map(({ file, source }) => [basename(file), source.text]),
    )
    const repository = calledFiles(root, hasSources(root, sources))
    const compiling = { ...repositorySettings(root), ...options, existing }
    const built = await buildWorkflows(sources, compiling, repository)
    const checked = await Promise.all(
      files.filter(isNative).map((file) => checkNative(file, repository, all)),
    )
    const natives = checked.filter((native) => native !== undefined)
    const findings = findingsOf(built, strict, [...natives.flat(), ...repository.findings])
    return { count: sources.length + natives.length, findings }
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    return { count: 0, findings: asFindings(error.problems, 'error') }
  }
}

export function hasSources(root: string, sources: readonly unknown[]): boolean {
  return sources.length > 0 || defaultSources(root).length > 0
}

/** A step or a job that may use a file of the same repository. */
const USES_LOCAL_FILE = /[\s'"[{,:][.$]\/\S/

/** The name of a trigger of Hookline, which may be among the events of GitHub. */
const MAY_DECLARE = new RegExp(`\\b(?:${[...TRIGGERS.keys()].join('|')})\\b`)

/**
 * The findings in a workflow of GitHub; `undefined` for a file that does not use Hookline, and for a
 * compiled file, whose source is checked.
 *
 * @param all true to check a file that does not use Hookline
 */
async function checkNative(
  { name, source }: WorkflowText,
  repository: RepositoryFiles,
  all: boolean,
): Promise<Finding[] | undefined> {
  const { text } = source
  const mayUse = mayUseAction(text)
  if (!all && !mayUse && !MAY_DECLARE.test(text) && !USES_LOCAL_FILE.test(text)) return undefined
  try {
    if (originOf(text)) return undefined
    const native = mayUse ? readNativeWorkflow(name, source) : undefined
    const file = native ?? { source, document: parseYaml(source) }
    const rules = new RuleFile(file, repository, { native })
    const usesHookline = native !== undefined || (!all && rules.flow.usesAction)
    if (!usesHookline && !all) {
      const isMisplaced = misplacedTriggers(rules).length > 0
      return isMisplaced
        ? lint(rules).filter(({ code }) => code === misplacedTrigger.id)
        : undefined
    }
    const found = lint(rules)
    if (!usesHookline) return [...withoutSections(rules), ...found]
    const inline = asFindings(inlineProblems(file), 'error')
    const own = [...inline, ...found]
    const fromGitHub = (await githubProblems(source)).slice(0, LIMITS.problems)
    const others = newProblems(fromGitHub, ofLevel(own, 'error'))
    return [...own, ...withKeyHints(file.document, unknownKeyFindings(file.document, others))]
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    if (!mayUse && !all) return undefined
    return asFindings(error.problems, 'error')
  }
}

/** A file without `on:` or `jobs:`, which GitHub rejects. GitHub's parser reports it for other files. */
function withoutSections({ top, file }: RuleFile): Finding[] {
  return ['on', 'jobs']
    .filter((section) => childOf(top, section) === undefined)
    .map((section) => ({
      code: 'not-a-workflow',
      level: 'error',
      message: `the workflow has no "${section}:"`,
      position: positionAt(file.source, 0, 1),
      hint: section === 'on' ? 'add the events that start it, such as "on: push"' : 'add a job',
    }))
}

async function githubProblems(source: Source): Promise<Mistake[]> {
  const messages = await githubMessages({ name: source.file, text: source.text })
  // The parser knows some events only as keys, not as `on: repository_dispatch`.
  const reported = messages.filter(
    ({ code, subject = '' }) => code !== 'unexpected-value' || !NATIVE_EVENTS.has(subject),
  )
  return reported.map(({ start, end, ...problem }) => ({
    ...problem,
    position: positionAt(source, start, end),
  }))
}

function inlineProblems(native: ParsedFile): readonly Mistake[] {
  try {
    return scriptProblems(nativeTriggers(native))
  } catch (error) {
    if (!(error instanceof FatalMistake)) throw error
    return error.problems
  }
}
