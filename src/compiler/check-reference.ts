import { TRIGGERS } from '../triggers/index.ts'
import type { Problem } from '../wire/errors.ts'
import { didYouMean } from '../workflow/suggestion.ts'
import type { Reference } from './references.ts'
import type { Stretch } from './scalar-text.ts'
import type { SourceFile, SourceTrigger } from './source-file.ts'

/** What a reference names that cannot be there, and which part of it does so. */
export interface ReferenceFault {
  readonly at: Stretch
  readonly problem: Problem
}

const FIELDS = ['outcome', 'conclusion', 'outputs']

/** Follows `on.<trigger>.outputs.<field>` as far as the names are written out. */
export function checkReference(
  { triggers }: SourceFile,
  { steps }: Reference,
): ReferenceFault | undefined {
  const [first, second, third] = steps
  if (first?.name === undefined) return undefined
  const trigger = triggers.find(({ name }) => same(name, first.name))
  if (!trigger) return { at: first, problem: unknownTrigger(first.name, triggers) }
  if (second?.name === undefined) return undefined
  if (!FIELDS.some((field) => same(field, second.name))) {
    return { at: second, problem: unknownField(trigger.name, second.name) }
  }
  const known = same('outputs', second.name) ? knownOutputs(trigger) : undefined
  if (!known || third?.name === undefined || known.some((name) => same(name, third.name))) {
    return undefined
  }
  return { at: third, problem: unknownOutput(trigger.name, third.name, known) }
}

function same(one: string, other: string | undefined): boolean {
  return one.toLowerCase() === other?.toLowerCase()
}

/** `undefined` where the user's own `config` shapes the outputs. */
function knownOutputs({ definition, config }: SourceTrigger): readonly string[] | undefined {
  const { format, filterOutputs, outputsMode, exportOutputs } = config
  const isShaped = format !== undefined || filterOutputs !== undefined || exportOutputs
  return isShaped || outputsMode === 'combine' ? undefined : Object.keys(definition.outputs)
}

function unknownTrigger(name: string, triggers: readonly SourceTrigger[]): Problem {
  const declared = triggers.map((trigger) => trigger.name)
  const hint = TRIGGERS.has(name)
    ? 'declare it under "on:"'
    : (didYouMean(name, declared) ?? 'no trigger of this workflow')
  return {
    message: `"on" has no trigger "${name}"`,
    hint,
    notes: [`declared here: ${declared.join(', ') || 'none'}`],
  }
}

function unknownField(trigger: string, name: string): Problem {
  const hint = didYouMean(name, FIELDS) ?? `on.${trigger}.outputs.${name}?`
  return {
    message: `"on.${trigger}" has no "${name}"`,
    hint,
    notes: [`it has: ${FIELDS.join(', ')}`],
  }
}

function unknownOutput(trigger: string, name: string, known: readonly string[]): Problem {
  const hint =
    didYouMean(name, known) ?? (known.includes('body') ? `outputs.body.${name}?` : undefined)
  return {
    message: `trigger "${trigger}" has no output "${name}"`,
    ...(hint && { hint }),
    notes: [`outputs: ${known.join(', ')}`],
  }
}
