import { Binary, type Expr, Grouping, type Literal, Logical } from '@actions/expressions/ast'
import {
  evaluateTree,
  truthOf,
  UNKNOWN_OF_GITHUB,
  UNKNOWN_STATUS,
  unknownValue,
} from '../../model/evaluate-expression.ts'
import type { Problem } from '../../wire/errors.ts'
import { decodePercent } from '../../wire/path.ts'
import { EVENT_TYPE } from '../../wire/payload.ts'
import { isCallOf, isProperty, isString, stringOf } from '../../workflow/expression-paths.ts'
import { type FileExpression, partsOf, spanOf } from '../../workflow/file-expressions.ts'
import { childOf, writtenAt } from '../../workflow/nodes.ts'
import { urlNames } from '../../workflow/on.ts'
import { actionSteps } from '../../workflow/steps.ts'
import { nearestName, quoted } from '../../workflow/suggestion.ts'
import { positionAt } from '../../workflow/yaml.ts'
import type { Rule, RuleFile } from '../rule.ts'
import { OTHER_JOB, workflow } from './example-workflows.ts'
import { misplacedTriggers } from './misplaced-trigger.ts'

export const unreachableWebhook: Rule = {
  id: 'unreachable-webhook',
  level: 'strict',
  page: {
    title: 'a condition, an event or a type with which no webhook reaches the action',
    reason:
      'A webhook arrives as the event `repository_dispatch` with the type `webhook`, and its path begins with the names of the file and the trigger. If the workflow listens for something else, or a job condition asks for something else, GitHub starts nothing and reports nothing.',
    remedy:
      'Listen for `repository_dispatch`, and compare the path as the hint says, or remove the condition and use the output `triggered`.',
    before: "if: startsWith(github.event.client_payload.path, 'hok/webhook')",
    after: "if: startsWith(github.event.client_payload.path, 'hook/webhook')",
    workflow: (part) => workflow(OTHER_JOB).replace('    runs-on', `    ${part}\n    runs-on`),
  },
  check: unreachable,
}

/** Events with which webhooks, polls and called workflows start. */
const STARTING_EVENTS: ReadonlySet<string> = new Set([
  'repository_dispatch',
  'workflow_dispatch',
  'workflow_call',
  'schedule',
])

function unreachable(file: RuleFile): Problem[] {
  // The path that a called workflow sees names its caller.
  if (!file.native || file.hasEvent('workflow_call')) return []
  const names = webhookNames(file)
  const event = eventProblem(file, names)
  if (event) return [event]
  return [...typeProblems(file, names.length > 0), ...conditionProblems(file, names)]
}

/** Every trigger name that a webhook URL for this file can contain. */
export function webhookNames({ triggers }: RuleFile): string[] {
  const receiving = triggers.filter(({ receive }) => receive !== undefined)
  return [...new Set(receiving.flatMap(urlNames))]
}

/** A workflow without the event that its triggers need. */
function eventProblem(file: RuleFile, names: readonly string[]): Problem | undefined {
  const { events, native, triggers } = file
  const [first] = events
  if (!native || !first) return undefined
  const canReceive = file.hasEvent('repository_dispatch') || file.hasEvent('workflow_dispatch')
  const isPolled = triggers.some(({ poll }) => poll !== undefined) && file.hasEvent('schedule')
  // Another rule reports triggers among the events.
  if (misplacedTriggers(file).length > 0) return undefined
  const startsNothing = !events.some(({ name }) => STARTING_EVENTS.has(name))
  if (!startsNothing && (canReceive || isPolled || names.length === 0)) return undefined
  const listed = events.map(({ name }) => name).join(', ')
  return {
    message: `this workflow listens only for ${listed}, and no webhook arrives as such an event`,
    position: positionAt(file.file.source, first.start, first.end),
    hint: `add repository_dispatch, with types: [${EVENT_TYPE}]`,
  }
}

/** Types of `repository_dispatch` without the type of webhooks: a misspelled type, or only others. */
function typeProblems(file: RuleFile, isReceiving: boolean): Problem[] {
  const texts = file.dispatchTypes
  const [first] = texts
  if (!first || texts.some(({ node }) => node.value === EVENT_TYPE)) return []
  const slip = texts.find(({ node }) => nearestName(node.value, [EVENT_TYPE]) !== undefined)
  const hasOtherStart = file.hasEvent('schedule') || file.hasEvent('workflow_dispatch')
  if (!slip && (!isReceiving || hasOtherStart)) return []
  const { node } = slip ?? first
  return [
    {
      message: `the relay sends webhooks with the type "${EVENT_TYPE}", never ${quoted(node.value)}`,
      position: writtenAt(file.file.source, slip ?? first),
      hint: slip ? `did you mean "${EVENT_TYPE}"?` : `add ${EVENT_TYPE}`,
    },
  ]
}

/** Problems in conditions of the jobs and steps that use the action. */
function conditionProblems(file: RuleFile, names: readonly string[]): Problem[] {
  if (names.length === 0) return []
  const conditions = new Set<unknown>(
    file.jobs.flatMap((job) => {
      const steps = actionSteps(job)
      const places = steps.length > 0 ? [job.value, ...steps.map(({ place }) => place)] : []
      return places.map((place) => childOf(place, 'if')?.node)
    }),
  )
  return file.expressions.flatMap((expression) => {
    const tree = conditions.has(expression.scalar) ? expression.tree : undefined
    if (!tree) return []
    return [
      ...pathProblems(file, expression, tree, names),
      ...eventNameProblems(file, expression, tree),
    ]
  })
}

/** Comparisons with an event's name in a condition that is false for every event of a webhook. */
function eventNameProblems(file: RuleFile, expression: FileExpression, tree: Expr): Problem[] {
  const payload = unknownValue('the payload')
  const contexts = (name: string) => ({
    github: { ...UNKNOWN_OF_GITHUB, event_name: name, event: payload },
  })
  const canBeTrue = (event: string) =>
    truthOf(evaluateTree(tree, contexts(event), UNKNOWN_STATUS)) !== false
  if ([...STARTING_EVENTS].some(canBeTrue)) return []
  return partsOf(tree).flatMap((part): Problem[] => {
    if (!(part instanceof Binary) || part.operator.lexeme !== '==') return []
    const { left, right } = part
    const [name, literal] = isString(left) ? [right, left] : [left, right]
    const event = stringOf(literal)
    if (!isProperty(name, 'event_name') || !isString(literal) || event === undefined) return []
    if (STARTING_EVENTS.has(event.toLowerCase())) return []
    return [
      file.problemAt(expression, spanOf(literal.token), {
        message: `no webhook arrives as the event ${quoted(event)}`,
        hint: "write 'repository_dispatch'",
      }),
    ]
  })
}

function pathProblems(
  file: RuleFile,
  expression: FileExpression,
  tree: Expr,
  names: readonly string[],
): Problem[] {
  const tests = pathTestsIn(tree)
  // The relay sends paths without a leading slash; a condition with both forms is correct.
  const areSlashed = tests.every(({ literal }) => literal.token.lexeme.startsWith("'/"))
  return tests.flatMap(({ literal: { token }, isWhole }) => {
    const prefix = token.lexeme.slice(1, -1).replaceAll("''", "'")
    const bare = areSlashed ? prefix.replace(/^\//, '') : prefix
    const intended =
      intendedPath(bare, file.name, names, isWhole) ?? (bare === prefix ? undefined : bare)
    if (intended === undefined) return []
    const verb = isWhole ? 'equals' : 'begins with'
    return file.problemAt(expression, spanOf(token), {
      message: `the path of a webhook for this file never ${verb} ${quoted(prefix)}`,
      hint: `did you mean '${intended}'?`,
      notes: ['the path contains the file name without its extension, then the trigger'],
    })
  })
}

/** A string that the path must begin with, or equal. */
interface PathTest {
  readonly literal: Literal
  readonly isWhole: boolean
}

/** The second argument of `startsWith(path, '…')`, and the other side of `path == '…'`. */
function pathTestsIn(tree: Expr): PathTest[] {
  if (tree instanceof Grouping) return pathTestsIn(tree.group)
  if (tree instanceof Logical) return tree.args.flatMap(pathTestsIn)
  if (tree instanceof Binary && tree.operator.lexeme === '==') {
    const [path, text] = isString(tree.left) ? [tree.right, tree.left] : [tree.left, tree.right]
    return isPath(path) && isString(text) ? [{ literal: text, isWhole: true }] : []
  }
  if (!isCallOf(tree, 'startswith')) return []
  const [whole, prefix] = tree.args
  const readsPath = whole !== undefined && partsOf(whole).some(isPath)
  return isString(prefix) && readsPath ? [{ literal: prefix, isWhole: false }] : []
}

/** `github.event.client_payload.path`, by its last two names. */
function isPath(part: Expr): boolean {
  return isProperty(part, 'path') && isProperty(part.expr, 'client_payload')
}

/**
 * The string that was probably intended as the beginning of a path, or as the whole path;
 * `undefined` if a webhook for the workflow can have such a path. GitHub ignores case.
 */
function intendedPath(
  prefix: string,
  workflowName: string,
  triggers: readonly string[],
  isWhole: boolean,
): string | undefined {
  const [, slash = '', first = '', second, rest = ''] =
    /^(\/?)([^/?]*)(?:\/([^/?]*)(.*))?$/s.exec(prefix) ?? []
  const matches = (name: string, part: string, isComplete: boolean) => {
    const start = decodePercent(part).toLowerCase()
    return isComplete ? name.toLowerCase() === start : name.toLowerCase().startsWith(start)
  }
  const isWorkflow = matches(workflowName, first, second !== undefined || isWhole)
  const known = triggers.filter((name) => matches(name, second ?? '', rest !== '' || isWhole))
  if (isWorkflow && known.length > 0) return undefined
  if (second === undefined || second === '') {
    return `${slash}${workflowName}/${isWhole ? triggers[0] : ''}`
  }
  return `${slash}${workflowName}/${known[0] ?? nearestName(second, triggers) ?? triggers[0]}${rest}`
}
