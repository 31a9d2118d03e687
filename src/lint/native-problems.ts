import {
  Binary,
  type Expr,
  FunctionCall,
  Grouping,
  IndexAccess,
  Literal,
  Logical,
} from '@actions/expressions/ast'
import { isMap, isSeq } from 'yaml'
import { actionSteps, type NativeWorkflow, nativeTriggers } from '../compiler/native.ts'
import { pathTests } from '../compiler/on-job.ts'
import { TRIGGERS } from '../triggers/index.ts'
import { type Problem, UserError } from '../wire/errors.ts'
import { NATIVE_EVENTS } from '../wire/events.ts'
import { decodePercent } from '../wire/path.ts'
import { EVENT_TYPE } from '../wire/payload.ts'
import { guardedGroup, isSharedWithOthers } from '../workflow/concurrency-group.ts'
import {
  fileExpressions,
  isFault,
  parseExpression,
  partsOf,
  spanOf,
} from '../workflow/file-expressions.ts'
import {
  childOf,
  entriesOf,
  itemsOf,
  type ParsedFile,
  textAt,
  textOf,
  topOf,
} from '../workflow/nodes.ts'
import type { SourceTrigger } from '../workflow/on.ts'
import { didYouMean, nearestName, quoted } from '../workflow/suggestion.ts'
import { positionAt, rangeOf } from '../workflow/yaml.ts'

/** The inputs of the action, as `action.yml` has them (a test compares the two). */
export const ACTION_INPUTS: readonly string[] = [
  'on',
  'workflow',
  'secrets',
  'vars',
  'state',
  'github-token',
  'telegram-api-url',
]

/**
 * What is wrong with how a native workflow starts, and uses the action, that GitHub itself does not
 * say before a run.
 *
 * @param hasSources whether there are workflow files that the action reads where `on` is empty
 */
export function actionProblems({ source, document }: ParsedFile, hasSources: boolean): Problem[] {
  const steps = entriesOf(childOf(topOf(document), 'jobs')).flatMap((job) =>
    actionSteps(job, source),
  )
  return steps.flatMap((step): Problem[] => {
    const uses = textAt(childOf(step, 'uses'))
    const inputs = entriesOf(childOf(step, 'with'))
    // The action of the same repository may be any.
    const isByName = uses !== undefined && uses.node.value !== './'
    const unknown = inputs.filter(({ name }) => !ACTION_INPUTS.includes(name.toLowerCase()))
    const misspelled = (isByName ? unknown : []).map(({ name, key }): Problem => {
      const hint = didYouMean(name, ACTION_INPUTS)
      return {
        message: `the action has no input ${quoted(name)}`,
        position: positionAt(source, ...rangeOf(key)),
        ...(hint && { hint }),
        notes: [`inputs: ${ACTION_INPUTS.join(', ')}`],
      }
    })
    const on = childOf(step, 'with', 'on')?.node
    if (isMap(on) || isSeq(on)) {
      const message = `the input "on" is ${isMap(on) ? 'a mapping' : 'a list'}, and an input is text`
      const position = positionAt(source, ...rangeOf(on))
      return [...misspelled, { message, position, hint: 'write "on: |", and this below it' }]
    }
    const given = inputs
      .filter(({ value }) => (textOf(value) ?? '').trim() !== '')
      .map(({ name }) => name)
    const isGiven = given.some((name) => ['on', 'workflow'].includes(name.toLowerCase()))
    if (!isByName || isGiven || hasSources || misspelled.length > 0) return misspelled
    return [
      {
        message: 'the action is given no trigger',
        position: positionAt(source, ...rangeOf(uses.alias ?? uses.node)),
        hint: 'write them under "with:" as "on: |"',
        notes: ['without "on" it reads the files of workflows/, and there are none'],
      },
    ]
  })
}

/** Triggers of Hookline where GitHub reads the names of its own events. */
export function misplacedTriggers({ source, document }: ParsedFile, isUsed: boolean): Problem[] {
  const hint = isUsed
    ? `write repository_dispatch here, with types: [${EVENT_TYPE}]`
    : 'move the file to workflows/, and run: hookline build'
  return eventsOf(document)
    .filter(({ name }) => TRIGGERS.has(name) && !NATIVE_EVENTS.has(name))
    .map(({ name, node }) => ({
      message: `${quoted(name)} is not an event of GitHub`,
      position: positionAt(source, ...rangeOf(node)),
      hint,
    }))
}

/** The events that a file names under "on:", and where each name stands. */
function eventsOf(document: ParsedFile['document']) {
  const on = childOf(topOf(document), 'on')
  const keys = entriesOf(on).map(({ name, key }) => ({ name, node: key }))
  const names = [on, ...itemsOf(on)].flatMap((place) => textAt(place) ?? [])
  return [...keys, ...names.map(({ node }) => ({ name: node.value, node }))]
}

/**
 * What lets a webhook for a native workflow pass by in silence, as far as the file shows it: guards
 * that name another workflow or trigger, so that GitHub skips their job, and types of
 * `repository_dispatch` that no webhook comes as. Of guards nothing is said where a trigger has
 * mistakes, or stands in another file.
 *
 * @returns warnings: of a guard, each text in it that is compared with the path of the webhook
 */
export function missedWebhooks(
  native: NativeWorkflow,
  triggers: readonly SourceTrigger[] = inlineTriggers(native),
): Problem[] {
  const events = new Set(eventsOf(native.document).map(({ name }) => name))
  // In a workflow that is called, the path names the caller.
  if (events.has('workflow_call')) return []
  const names = namesOf(triggers)
  const types = typeProblems(native, events, names.length > 0)
  return [...types, ...(names.length > 0 ? guardProblems(native, names) : [])]
}

/**
 * The workflow's own group, where webhooks for other workflows are in it with runs of this one. In a
 * queue that keeps all nobody is cancelled; what only the run knows is not judged.
 */
export function sharedGroups(
  native: NativeWorkflow,
  declared: readonly SourceTrigger[] = inlineTriggers(native),
): Problem[] {
  const { source, document, name } = native
  const heard = eventsOf(document).map((event) => event.name)
  const types = childOf(topOf(document), 'on', 'repository_dispatch', 'types')
  const named = [types, ...itemsOf(types)].flatMap((place) => textOf(place) ?? [])
  const isHeard = named.length === 0 || named.includes(EVENT_TYPE)
  if (!heard.includes('repository_dispatch') || heard.includes('workflow_call') || !isHeard)
    return []
  const concurrency = childOf(topOf(document), 'concurrency')
  const group = textAt(concurrency) ?? textAt(childOf(concurrency, 'group'))
  const triggers = namesOf(declared)
  const [trigger] = triggers
  if (!group || trigger === undefined || textOf(childOf(concurrency, 'queue')) === 'max') return []
  if (!isSharedWithOthers(group.node.value, `${name}/${trigger}`, heard)) return []
  const guard = pathTests(name, triggers).join(' ')
  return [
    {
      message:
        'a webhook for another workflow enters this concurrency group, and cancels what is in it',
      position: positionAt(source, ...rangeOf(group.alias ?? group.node)),
      hint: 'keep those of others out',
      notes: [`write: group: ${guardedGroup(group.node.value, { guard })}`],
    },
  ]
}

/** Every name that a webhook URL may have for one of the triggers. */
function namesOf(triggers: readonly SourceTrigger[]): string[] {
  const names = triggers
    .filter(({ receive }) => receive !== undefined)
    .flatMap(({ name, definition }) => [name, definition.name, ...definition.aliases])
  return [...new Set(names)]
}

/** None where a step has its triggers from elsewhere, or one has mistakes: not all of them are known. */
export function inlineTriggers(native: NativeWorkflow): readonly SourceTrigger[] {
  if (native.uses.some(({ on }) => /^\s*(?:\$\{\{|$)/.test(on ?? ''))) return []
  try {
    return nativeTriggers(native)
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    return []
  }
}

/**
 * Types of `repository_dispatch` without the one of webhooks: a slip of it, or others where the file
 * waits for webhooks and nothing else brings any.
 */
function typeProblems(
  { source, document }: NativeWorkflow,
  events: ReadonlySet<string>,
  isWaiting: boolean,
): Problem[] {
  const types = childOf(topOf(document), 'on', 'repository_dispatch', 'types')
  const texts = [types, ...itemsOf(types)].flatMap((place) => textAt(place) ?? [])
  const [first] = texts
  if (!first || texts.some(({ node }) => node.value === EVENT_TYPE)) return []
  const slip = texts.find(({ node }) => nearestName(node.value, [EVENT_TYPE]) !== undefined)
  if (!slip && (!isWaiting || events.has('schedule') || events.has('workflow_dispatch'))) return []
  const { node, alias } = slip ?? first
  return [
    {
      message: `no webhook comes as ${quoted(node.value)}: the relay sends them as "${EVENT_TYPE}"`,
      position: positionAt(source, ...rangeOf(alias ?? node)),
      hint: slip ? `did you mean "${EVENT_TYPE}"?` : `add ${EVENT_TYPE}`,
    },
  ]
}

/** @param names under which a webhook URL reaches a trigger of the file */
function guardProblems(native: NativeWorkflow, names: readonly string[]): Problem[] {
  const { name, source, document } = native
  const guards = entriesOf(childOf(topOf(document), 'jobs')).flatMap((job) => {
    const steps = actionSteps(job, source)
    return steps.length > 0 ? [job.value, ...steps].map((place) => childOf(place, 'if')?.node) : []
  })
  return guards.flatMap((guard) =>
    fileExpressions(source.text, guard, ['jobs', '', 'if']).flatMap((expression) => {
      const tree = parseExpression(expression.text)
      const prefixes = isFault(tree) ? [] : prefixesOf(tree)
      const isSlashed = ({ literal }: Guarding) => literal.token.lexeme.startsWith("'/")
      // The relay sends no slash before; who writes both forms is safe.
      const areSlashed = prefixes.every(isSlashed)
      const events = isFault(tree) ? undefined : eventsIn(tree)
      const missed = events?.some(({ event }) => WEBHOOK_EVENTS.has(event)) ? [] : (events ?? [])
      const other = missed.map(({ event, token }) => {
        const { start, end } = spanOf(token)
        const place = expression.span(start, end)
        return {
          message: `no webhook comes as the event ${quoted(event)}`,
          position: positionAt(source, place.start, place.end),
          hint: "write 'repository_dispatch'",
        }
      })
      const paths = prefixes.flatMap(({ literal: { token }, isWhole }) => {
        const prefix = token.lexeme.slice(1, -1).replaceAll("''", "'")
        const bare = areSlashed ? prefix.replace(/^\//, '') : prefix
        const meant = meantBy(bare, name, names, isWhole) ?? (bare === prefix ? undefined : bare)
        if (meant === undefined) return []
        const { start, end } = spanOf(token)
        const place = expression.span(start, end)
        return {
          message: `the path of a webhook for this file never ${isWhole ? 'is' : 'begins with'} ${quoted(prefix)}`,
          position: positionAt(source, place.start, place.end),
          hint: `did you mean '${meant}'?`,
          notes: [
            'a URL names the file without its extension, then the trigger: others are skipped',
          ],
        }
      })
      return [...paths, ...other]
    }),
  )
}

/** Events that bring a webhook, and the one that brings what is polled. */
const WEBHOOK_EVENTS: ReadonlySet<string> = new Set(
  'repository_dispatch schedule workflow_call workflow_dispatch'.split(' '),
)

/** The events one of which it has to be for a condition to be true; `undefined` where any may be. */
function eventsIn(
  tree: Expr,
): readonly { readonly event: string; readonly token: Literal['token'] }[] | undefined {
  if (tree instanceof Grouping) return eventsIn(tree.group)
  if (tree instanceof Logical) {
    const all = tree.args.map(eventsIn)
    const known = all.filter((one) => one !== undefined)
    if (tree.operator.lexeme === '&&') return known[0]
    return known.length === all.length ? known.flat() : undefined
  }
  if (!(tree instanceof Binary) || tree.operator.lexeme !== '==') return undefined
  const [name, text] =
    tree.left instanceof Literal ? [tree.right, tree.left] : [tree.left, tree.right]
  const isName =
    name instanceof IndexAccess &&
    name.index instanceof Literal &&
    name.index.literal.coerceString().toLowerCase() === 'event_name'
  if (!isName || !(text instanceof Literal) || !text.token.lexeme.startsWith("'")) return undefined
  return [{ event: text.literal.coerceString().toLowerCase(), token: text.token }]
}

/** A text with which the path has to begin, or which it has to be. */
interface Guarding {
  readonly literal: Literal
  readonly isWhole: boolean
}

/** The second argument of `startsWith(path, '…')`, and the other side of `path == '…'`. */
function prefixesOf(tree: Expr): Guarding[] {
  if (tree instanceof Grouping) return prefixesOf(tree.group)
  if (tree instanceof Logical) return tree.args.flatMap(prefixesOf)
  const isText = (part: Expr | undefined): part is Literal =>
    part instanceof Literal && part.token.lexeme.startsWith("'")
  if (tree instanceof Binary && tree.operator.lexeme === '==') {
    const [path, text] = isText(tree.left) ? [tree.right, tree.left] : [tree.left, tree.right]
    return isPath(path) && isText(text) ? [{ literal: text, isWhole: true }] : []
  }
  if (!(tree instanceof FunctionCall)) return []
  const [whole, prefix] = tree.args
  const isStartsWith = tree.functionName.lexeme.toLowerCase() === 'startswith'
  const isOfPath = whole !== undefined && partsOf(whole).some(isPath)
  return isStartsWith && isText(prefix) && isOfPath ? [{ literal: prefix, isWhole: false }] : []
}

/** `github.event.client_payload.path`, by its last two steps. */
function isPath(part: Expr): boolean {
  const isStep = (step: Expr, name: string): step is IndexAccess =>
    step instanceof IndexAccess &&
    step.index instanceof Literal &&
    step.index.literal.coerceString().toLowerCase() === name
  return isStep(part, 'path') && isStep(part.expr, 'client_payload')
}

/**
 * What should stand in place of the beginning of a path; `undefined` where the path of a webhook for
 * the workflow can begin so, or be so. GitHub compares without regard to case.
 */
function meantBy(
  prefix: string,
  workflow: string,
  triggers: readonly string[],
  isWhole: boolean,
): string | undefined {
  const [, slash = '', first = '', second, rest = ''] =
    /^(\/?)([^/?]*)(?:\/([^/?]*)(.*))?$/s.exec(prefix) ?? []
  const begins = (whole: string, part: string, isAll: boolean) => {
    const [name, start] = [whole.toLowerCase(), decodePercent(part).toLowerCase()]
    return isAll ? name === start : name.startsWith(start)
  }
  const isWorkflow = begins(workflow, first, second !== undefined || isWhole)
  const known = triggers.filter((name) => begins(name, second ?? '', rest !== '' || isWhole))
  if (isWorkflow && known.length > 0) return undefined
  if (second === undefined || second === '') {
    return `${slash}${workflow}/${isWhole ? triggers[0] : ''}`
  }
  return `${slash}${workflow}/${known[0] ?? nearestName(second, triggers) ?? triggers[0]}${rest}`
}
