import { type Finding, ofLevel } from '../wire/errors.ts'
import { DocumentLines } from '../workflow/document.ts'
import { asFindings } from '../workflow/mistakes.ts'
import { patch } from '../workflow/patch.ts'
import { applyEdits } from '../workflow/spans.ts'
import type { ActionLock } from './action-lock.ts'
import { type CompiledFile, firstLine, isSameText } from './compiled-files.ts'
import {
  mergedSettings,
  NO_SETTINGS,
  type SettingsLayers,
  settingsProblems,
  type WrittenSettings,
} from './compiler-settings.ts'
import { type EditedFile, newProblems, parserProblems } from './github-parser.ts'
import { unknownKeyFindings } from './key-hints.ts'
import { PASSES } from './passes/index.ts'
import { type CompiledPart, noTriggerProblems, type PassResult, type Plan, planOf } from './plan.ts'
import type { SourceFile } from './source-file.ts'
import { triggerNotices, triggerProblems } from './source-problems.ts'
import { existingUses, onJobUses } from './uses.ts'

export interface CompileOptions {
  /** The settings of the repository, for all sources. */
  readonly repository?: WrittenSettings
  /** The action of this package, for sources without the setting `uses`. */
  readonly action?: string
  /** The existing compiled files, by name. GitHub's parser has read these already. */
  readonly existing?: ReadonlyMap<string, string> | undefined
  /** GitHub's lock file of actions. */
  readonly lock?: ActionLock | undefined
}

/**
 * Compiles a workflow into native ones, in four steps:
 *
 * 1. `planOf` decides what the files contain.
 * 2. Each pass returns the edits for its part of the plan.
 * 3. `patch` applies the edits to the text of the source.
 * 4. GitHub's own parser reads the result.
 *
 * All mistakes of the source are findings; nothing is thrown for them. If one is an error, there are no files.
 */
export async function compile(
  file: SourceFile,
  options: CompileOptions,
): Promise<{ readonly files: readonly CompiledFile[]; readonly findings: readonly Finding[] }> {
  const fatal = file.isWhole ? noTriggerProblems(file) : file.problems
  if (fatal.length > 0) return { files: [], findings: asFindings(fatal, 'error') }
  const layers = { source: file.settings, repository: options.repository ?? NO_SETTINGS }
  const plan = planFor(file, options, layers)
  const parts = planParts(plan).map((part) => ({ part, results: passResults(plan, part) }))
  const results = parts.flatMap((one) => one.results)
  const own = [
    ...asFindings(file.problems, 'error'),
    ...asFindings(settingsProblems(layers, plan.options), 'error'),
    ...asFindings(triggerProblems(plan), 'error'),
    ...asFindings(triggerNotices(plan), 'warning'),
    ...results.flatMap(({ findings = [] }) => findings),
  ]
  const isBlocked = results.some((one) => one.isBlocked)
  const written = isBlocked ? [] : parts.map((one) => writtenFile(plan, one.part, one.results))
  const unread = written.filter(({ name, text }) => !isSameText(options.existing?.get(name), text))
  const parsed = (await Promise.all(unread.map((one) => parserProblems(file, one)))).flat()
  const fromParser = newProblems(parsed, ofLevel(own, 'error'))
  const findings = [...own, ...unknownKeyFindings(file.document, fromParser)]
  const hasErrors = ofLevel(findings, 'error').length > 0
  return { files: hasErrors ? [] : written.map(({ name, text }) => ({ name, text })), findings }
}

function planFor(file: SourceFile, options: CompileOptions, layers: SettingsLayers): Plan {
  const { existing, lock, action } = options
  const name = `${file.name}.yml`
  const main = existing?.get(name)
  const settings = mergedSettings(layers, {
    existing: existingUses(main),
    ...(action && { action }),
  })
  const uses = onJobUses({ settings, existing: main, lock, name })
  const isUsesConfigured = settings.isUsesConfigured && uses === settings.uses
  return planOf(file, { ...settings, uses, isUsesConfigured, existing, lock })
}

/** The parts of a plan: one file, or two if an event can bring several items. */
export function planParts({ isOne }: Plan): readonly CompiledPart[] {
  return isOne ? ['whole'] : ['listening', 'jobs']
}

export function passResults(plan: Plan, part: CompiledPart): readonly PassResult[] {
  return PASSES.map((pass) => pass.run(plan, part))
}

function writtenFile(
  { file }: Plan,
  part: CompiledPart,
  results: readonly PassResult[],
): EditedFile {
  const { source } = file
  const name = `${file.name}${part === 'jobs' ? '.jobs' : ''}.yml`
  const head = `${firstLine(source.file)}\n`
  const operations = results.flatMap((one) => one.operations ?? [])
  // The listening file copies no lines of the source, so it begins as an empty document.
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
