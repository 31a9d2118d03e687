import { basename } from 'node:path'
import type { CompileOptions } from '../compiler/compile.ts'
import { originOf } from '../compiler/compiled-files.ts'
import { githubMessages, newProblems } from '../compiler/github-parser.ts'
import { unknownKeyFindings, withKeyHints } from '../compiler/key-hints.ts'
import { mayUseAction, nativeTriggers, readNativeWorkflow } from '../compiler/native.ts'
import { lint } from '../lint/lint.ts'
import { misplacedTriggers } from '../lint/native-problems.ts'
import { RuleFile } from '../lint/rule.ts'
import { TRIGGERS } from '../triggers/index.ts'
import { type Finding, ofLevel, type Source, UserError } from '../wire/errors.ts'
import { NATIVE_EVENTS } from '../wire/events.ts'
import { LIMITS } from '../wire/limits.ts'
import { asFindings, type Mistake, Refusal } from '../workflow/mistakes.ts'
import type { ParsedFile } from '../workflow/nodes.ts'
import { parseYaml, positionAt } from '../workflow/yaml.ts'
import {
  buildWorkflows,
  type Called,
  calledBy,
  findingsOf,
  scriptProblems,
  type WorkflowText,
} from './build-workflows.ts'
import { defaultSources, isNative } from './files.ts'
import { repositorySettings } from './settings-file.ts'

export interface FindingOptions extends CompileOptions {
  readonly root: string
  readonly strict?: boolean
  /** Looks at the workflows that have nothing to do with Hookline, too. */
  readonly all?: boolean
}

/**
 * What is wrong with workflow files, errors first: `check` and `dev` say the same, and `build` of its
 * sources.
 *
 * @returns how many files were looked at, too
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
    const called = calledBy(root, sources.length > 0 || defaultSources(root).length > 0)
    const compiling = { ...repositorySettings(root), ...options, existing }
    const built = await buildWorkflows(sources, compiling, called)
    const checked = await Promise.all(
      files.filter(isNative).map((file) => checkNative(file, called, all)),
    )
    const natives = checked.filter((native) => native !== undefined)
    const findings = findingsOf(built, strict, natives.flat())
    return { count: sources.length + natives.length, findings }
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    return { count: 0, findings: asFindings(error.problems, 'error') }
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
  { name, source }: WorkflowText,
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
    return [...own, ...withKeyHints(file.document, unknownKeyFindings(file.document, unsaid))]
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
