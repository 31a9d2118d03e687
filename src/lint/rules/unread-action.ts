import type { Problem } from '../../wire/errors.ts'
import { childOf, textAt } from '../../workflow/nodes.ts'
import { positionAt, rangeOf } from '../../workflow/yaml.ts'
import { calledBy, type Flow, type JobFlow, type StepFlow } from '../flow/flow.ts'
import { taints } from '../flow/scope.ts'
import type { Rule, RuleFile } from '../rule.ts'
import { greet } from './examples.ts'

export const unreadAction: Rule = {
  id: 'unread-action',
  level: 'warning',
  isStrict: false,
  finds: 'an action or a workflow, named by its path, that `check` could not read',
  why: 'Nobody has looked at what it does; and where the path is a slip, the run fails.',
  fix: 'Write the path from the root of the repository, or from the folder of `actions/checkout`.',
  red: '- uses: ./.github/actions/gret',
  green: '- run: ./greet.sh',
  around: greet,
  check: unread,
}

function unread({ flow, native, isSource }: RuleFile): Problem[] {
  if (!native && !isSource) return []
  const flows = new Set([flow])
  // A set hands out what is added on the way, too.
  for (const { jobs } of flows) for (const callee of calledBy(jobs)) flows.add(callee)
  return [...flows].flatMap((one) =>
    one.jobs.flatMap((job) => [job, ...job.steps].flatMap((user) => unreadBy(one, user))),
  )
}

function unreadBy({ source, expressions }: Flow, user: JobFlow | StepFlow): Problem[] {
  const { place, scope, unread } = user
  const uses = textAt(childOf(place, 'uses'))
  if (!uses || unread === undefined) return []
  const isGiven = taints(childOf(place, 'with'), scope, expressions)
  // Of another repository, only what a sender's text goes into is worth a word.
  if (unread === 'elsewhere' && !isGiven) return []
  const why = isGiven ? ', and text from outside goes into it' : ''
  const hint =
    unread === 'elsewhere' ? 'look at what it does with that' : 'is the path right, from the root?'
  return [
    {
      message: `"${uses.node.value}" could not be read${why}`,
      position: positionAt(source, ...rangeOf(uses.alias ?? uses.node)),
      hint,
    },
  ]
}
