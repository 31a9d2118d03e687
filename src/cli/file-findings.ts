import { basename } from 'node:path'
import { checkFile } from '../check/check.ts'
import { type RepositoryFiles, RuleFile } from '../check/rule.ts'
import { misplacedTriggers } from '../check/rules/misplaced-trigger.ts'
import type { CompileOptions } from '../compiler/compile.ts'
import { originOf } from '../compiler/compiled-files.ts'
import { githubProblems, newProblems } from '../compiler/github-parser.ts'
import { unknownKeyFindings, withKeyHints } from '../compiler/key-hints.ts'
import { mayUseAction, readNativeWorkflow } from '../compiler/native.ts'
import { TRIGGERS } from '../triggers/index.ts'
import { type Finding, ofLevel, UserError } from '../wire/errors.ts'
import { asFindings } from '../workflow/mistakes.ts'
import { parseYaml } from '../workflow/yaml.ts'
import {
  buildWorkflows,
  findingsOf,
  repositoryFiles,
  scriptProblems,
  type WorkflowText,
} from './build-workflows.ts'
import { defaultSources, isNative } from './files.ts'
import { repositorySettings } from './settings-file.ts'

export interface FindingOptions extends CompileOptions {
  readonly root: string
  readonly strict?: boolean
}

/** A file that was not checked, and the reason. */
export interface NotChecked {
  readonly file: string
  /** `does not use Hookline` */
  readonly reason: string
  /** The checked source of a compiled file. */
  readonly source?: string
}

interface FoundIn {
  /** The number of files that were checked. */
  readonly count: number
  readonly findings: readonly Finding[]
  readonly notChecked: readonly NotChecked[]
}

/**
 * The findings in workflow files, errors first. `check` and `dev` show all of them, and `build` those in
 * its sources.
 */
export async function findingsIn(
  files: readonly WorkflowText[],
  options: FindingOptions,
): Promise<FoundIn> {
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
