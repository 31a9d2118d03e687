import { type Finding, ofLevel, UserError } from '../wire/errors.ts'
import { DocumentLines } from '../workflow/document.ts'
import { asFindings, Refusal } from '../workflow/mistakes.ts'
import { patch } from '../workflow/patch.ts'
import { applyEdits } from '../workflow/spans.ts'
import type { ActionLock } from './action-lock.ts'
import { type Made, newProblems, parserProblems } from './github-parser.ts'
import { aheadOfParser } from './key-hints.ts'
import { firstLine, isSameText, type MadeFile } from './made-files.ts'
import type { Part, PassResult } from './pass.ts'
import { PASSES } from './passes/index.ts'
import { type Plan, planOf } from './plan.ts'
import {
  NOTHING_WRITTEN,
  type SaidSettings,
  type Settings,
  settingsOf,
  settingsProblems,
  type WrittenSettings,
} from './settings.ts'
import type { SourceFile } from './source-file.ts'
import { triggerNotices, triggerProblems } from './source-problems.ts'
import { onJobUses, standingUses } from './uses.ts'

export interface CompileOptions extends Settings {
  /** What the repository says for all of its sources. */
  readonly repository?: WrittenSettings
  /** The action of this package where nothing is said. */
  readonly action?: string
  /** Made files as they were written before, by name: GitHub's parser has read these already. */
  readonly standing?: ReadonlyMap<string, string> | undefined
  /** What GitHub's lock file names. */
  readonly lock?: ActionLock | undefined
}

/** What a workflow file became. */
export interface Compiled {
  readonly files: readonly MadeFile[]
  /** What the user should hear of, though it is no error: warnings. */
  readonly findings: readonly Finding[]
}

/**
 * Compiles a workflow into native ones: what it is to become is planned, each pass says what that
 * changes, the patch changes it, and GitHub's own parser reads what came out.
 *
 * @throws UserError with all errors of the file, as findings
 */
export async function compile(file: SourceFile, options: CompileOptions): Promise<Compiled> {
  if (!file.isWhole) throw new Refusal(file.problems)
  const said = saidOf(file, options)
  const plan = plannedBy(file, options, said)
  const parts = partsOf(plan).map((part) => ({ part, results: passed(plan, part) }))
  const results = parts.flatMap((one) => one.results)
  const own = [
    ...asFindings(
      [...file.problems, ...settingsProblems(said, plan.options), ...triggerProblems(plan)],
      'error',
    ),
    ...asFindings(triggerNotices(plan), 'warning'),
    ...results.flatMap(({ findings = [] }) => findings),
  ]
  const isBlocked = results.some((one) => one.isBlocked)
  const made = isBlocked ? [] : parts.map((one) => makeFile(plan, one.part, one.results))
  const unread = made.filter(({ name, text }) => !isSameText(options.standing?.get(name), text))
  const parsed = (await Promise.all(unread.map((one) => parserProblems(file, one)))).flat()
  const unsaid = newProblems(parsed, ofLevel(own, 'error'))
  const findings = [...own, ...aheadOfParser(file.document, unsaid)]
  const errors = ofLevel(findings, 'error')
  if (errors.length > 0) throw new UserError(errors)
  return { files: made.map(({ name, text }) => ({ name, text })), findings }
}

/** Where the settings of a file are said. */
export function saidOf({ settings }: SourceFile, options: CompileOptions): SaidSettings {
  return { flags: options, own: settings, repository: options.repository ?? NOTHING_WRITTEN }
}

function plannedBy(file: SourceFile, options: CompileOptions, said: SaidSettings): Plan {
  const { standing, lock, action } = options
  const name = `${file.name}.yml`
  const main = standing?.get(name)
  const settings = settingsOf(said, { standing: standingUses(main), ...(action && { action }) })
  const uses = onJobUses({ settings, standing: main, lock, name })
  const isUsesSaid = settings.isUsesSaid && uses === settings.uses
  return planOf(file, { ...settings, uses, isUsesSaid, standing, lock })
}

/** Where every event brings one item, all is in one file. */
export function partsOf({ isOne }: Plan): readonly Part[] {
  return isOne ? ['whole'] : ['listening', 'jobs']
}

/** What every pass wants of a part. */
export function passed(plan: Plan, part: Part): readonly PassResult[] {
  return PASSES.map((pass) => pass.run(plan, part))
}

function makeFile({ file }: Plan, part: Part, results: readonly PassResult[]): Made {
  const { source } = file
  const name = `${file.name}${part === 'jobs' ? '.jobs' : ''}.yml`
  const head = `${firstLine(source.file)}\n`
  const operations = results.flatMap((one) => one.operations ?? [])
  // The file that listens has nothing of the source as it stands there.
  const isNew = part === 'listening'
  const lines = isNew ? DocumentLines.of({ ...source, text: '' }) : file.lines
  const edits = patch(lines, operations)
  return {
    name,
    text: head + applyEdits(lines.text, edits),
    edits: isNew ? undefined : edits,
    head,
  }
}
