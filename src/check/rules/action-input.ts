import { isMap, isSeq } from 'yaml'
import type { Problem, Source } from '../../wire/errors.ts'
import { childOf, entriesOf, type Place, textAt, textOf, writtenAt } from '../../workflow/nodes.ts'
import { actionSteps } from '../../workflow/steps.ts'
import { didYouMean, quoted } from '../../workflow/suggestion.ts'
import { positionAt, rangeOf } from '../../workflow/yaml.ts'
import type { Rule, RuleFile } from '../rule.ts'
import { OTHER_JOB, workflow } from './example-workflows.ts'

export const actionInput: Rule = {
  id: 'action-input',
  level: 'error',
  page: {
    title: 'an input that the action does not have, or that has the wrong form',
    reason:
      'The runner ignores an unknown input with a warning in the log, so the step runs with defaults. An input is always a string: a mapping makes the file invalid.',
    remedy: 'Use an input name of `action.yml`. Write the triggers as a block: `on: |`.',
    before: 'secret: |\n  webhook: {method: post}',
    after: 'on: |\n  webhook: {method: post}',
    workflow: (part) =>
      workflow(OTHER_JOB).replace(
        / {10}on: [\s\S]*?\n(?= {2}\w)/,
        `${part.replaceAll(/^/gm, '          ')}\n`,
      ),
  },
  check: (file) => (file.native ? inputProblems(file) : []),
}

/** The inputs of the action (a test compares them with action.yml). */
export const ACTION_INPUTS: readonly string[] = [
  'on',
  'workflow',
  'secrets',
  'vars',
  'state',
  'relay-url',
  'github-token',
  'telegram-api-url',
]

function inputProblems({ file: { source }, jobs, repository }: RuleFile): Problem[] {
  return jobs.flatMap(actionSteps).flatMap(({ place: step }): Problem[] => {
    const uses = textAt(childOf(step, 'uses'))
    // `./` is the action of whatever repository the file belongs to.
    const isKnown = uses !== undefined && uses.node.value !== './'
    const unknown = isKnown ? unknownInputs(source, step, ACTION_INPUTS) : []
    const on = childOf(step, 'with', 'on')?.node
    if (isMap(on) || isSeq(on)) {
      const message = `the input "on" is a ${isMap(on) ? 'mapping' : 'list'}, and inputs are strings`
      const position = positionAt(source, ...rangeOf(on))
      return [...unknown, { message, position, hint: 'write "on: |", and indent the triggers' }]
    }
    const isGiven = entriesOf(childOf(step, 'with')).some(
      ({ name, value }) => /^(?:on|workflow)$/i.test(name) && (textOf(value) ?? '').trim() !== '',
    )
    if (!isKnown || isGiven || repository.hasSources || unknown.length > 0) return unknown
    return [
      {
        message: 'the step declares no trigger',
        position: writtenAt(source, uses),
        hint: 'add the triggers under "with:" as "on: |"',
        notes: ['without "on", the action reads the files of workflows/, and there are none'],
      },
    ]
  })
}

/** The inputs of a step that are none of these. */
export function unknownInputs(source: Source, step: Place, inputs: readonly string[]): Problem[] {
  return entriesOf(childOf(step, 'with'))
    .filter(({ name }) => !inputs.includes(name.toLowerCase()))
    .map(({ name, key }) => {
      const hint = didYouMean(name, inputs)
      return {
        message: `the action has no input ${quoted(name)}`,
        position: positionAt(source, ...rangeOf(key)),
        ...(hint && { hint }),
        notes: [`inputs: ${inputs.join(', ')}`],
      }
    })
}
