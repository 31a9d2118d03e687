import { repeatWarning, storeNeeds } from '../state/index.ts'
import { type KeyState, keyStates, type Snapshot, type WantedKeys } from '../state/store.ts'
import { IGNORED_KEYS } from '../triggers/config.ts'
import { OptionError, PayloadError, UserError } from '../wire/errors.ts'
import { scalarText } from '../wire/json.ts'
import { LIMITS } from '../wire/limits.ts'
import { type Message, notice, warning } from '../wire/messages.ts'
import type { Effect } from './effects.ts'
import type { TriggerResult } from './found.ts'
import { type Candidate, claimedElsewhere, type PipelineResult, runPipeline } from './pipeline.ts'
import type { EnginePorts, TriggerRef } from './ports.ts'
import {
  buildContexts,
  type Decision,
  FULL_BUDGET,
  failedContext,
  type OnContext,
  type OutputBudget,
  type TriggerRun,
  takeFitting,
} from './result.ts'
import { needsStore } from './schedule.ts'

/** The way that items come, what the store said, and how much room is left for them in the outputs. */
export interface RunMode {
  readonly isPolled: boolean
  /** There when the store was asked. */
  readonly snapshot: Snapshot | undefined
  /** There for a polled trigger: what finds none comes with a later run. */
  readonly budget?: OutputBudget
}

/** Whether a run asks the store of a trigger: for seen keys, or for where the poll begins. */
export function asksStore({ trigger }: TriggerRef, isPolled: boolean): boolean {
  return isPolled || trigger.config.shouldDeduplicate === true || trigger.config.skipFirst
}

/** A trigger that has looked, and what it would hand on; or the whole run, where that is known. */
export type PreparedRun =
  | { readonly run: TriggerRun }
  | {
      readonly ref: TriggerRef
      readonly mode: RunMode
      readonly result: TriggerResult
      readonly prepared: PipelineResult & LeftOut
      /** Runs that have ended without success. */
      readonly ended: ReadonlySet<string>
    }

/**
 * Looks for items with one trigger, and sends them through its `config`. Nothing is claimed yet.
 *
 * @throws UserError
 */
export async function prepareRun(
  ref: TriggerRef,
  look: () => Promise<TriggerResult>,
  ports: EnginePorts,
  mode: RunMode,
): Promise<PreparedRun> {
  try {
    const hasStore = ports.store !== undefined
    const way = { hasStore, isPolled: mode.isPolled, isEveryExact: true }
    const [need] = storeNeeds(ref.trigger, way)
    if (need?.needs === 'a store') throw needsStore(need.option)
    if (need) {
      const message = 'config.limit with a sort order needs shouldDeduplicate'
      throw new OptionError(need.option, message)
    }
    const ended = new Set<string>()
    let result: TriggerResult
    let prepared: PipelineResult & LeftOut
    try {
      result = await look()
      prepared = await filterAndFit(ref, result, ports, mode, ended)
    } catch (error) {
      return { run: failedRun(error, ref) }
    }
    if (!mode.isPolled) refuseUnfit(ref, prepared, ports)
    return { ref, mode, result, prepared, ended }
  } catch (error) {
    throw placed(error, ref)
  }
}

/** What a run hands on, as far as is known before anything is claimed: it may become less. */
export function preparedContexts(one: PreparedRun, { folder }: EnginePorts): readonly OnContext[] {
  if ('run' in one) return one.run.contexts
  const items = one.prepared.kept.map(({ item }) => item)
  return buildContexts(one.ref, items, folder).contexts
}

/**
 * Claims in the store what is handed on, of all triggers in one step. What is held back, because of
 * `limit`, another run or its size, is not acknowledged.
 *
 * @throws UserError
 */
export async function claimRuns(
  all: readonly PreparedRun[],
  ports: EnginePorts,
): Promise<TriggerRun[]> {
  const wanted = all.map(wantedKeys)
  const asked = wanted.filter((one) => one !== undefined)
  const states = asked.length > 0 ? await ports.store?.claim(asked, ports.run) : undefined
  return all.map((one, place) => {
    if ('run' in one) return one.run
    const asks = wanted[place]
    const own = asks && states?.[asked.indexOf(asks)]
    return finishRun(one, own ? withoutTaken(one, own) : one.prepared, ports)
  })
}

type Looked = Exclude<PreparedRun, { readonly run: TriggerRun }>

function finishRun(
  { ref, mode, result, prepared }: Looked,
  claimed: PipelineResult,
  ports: EnginePorts,
): TriggerRun {
  const items = claimed.kept.map(({ item }) => item)
  const decision = buildDecision(ref, result, claimed)
  const repeats = repeatWarning(ref.trigger, { ...mode, hasStore: ports.store !== undefined })
  // Keys that mean something elsewhere, and are taken as they come with a workflow.
  const unused = [...IGNORED_KEYS].filter(([key]) => Object.hasOwn(ref.trigger.config, key))
  const advice = unused.map(([key, advice]) =>
    notice('unused-option', `config.${key} has no effect here: ${advice}`),
  )
  return {
    ...notFired(ref, decision.reason),
    ...buildContexts(ref, items, ports.folder),
    decision,
    found: result.found.map(({ item }) => item),
    items,
    deliveries: [...new Set(claimed.kept.flatMap(({ delivery }) => delivery?.id ?? []))],
    messages: [
      ...prepared.errors.map((text): Message => ({ level: 'error', code: 'left-out', text })),
      ...result.messages,
      ...(repeats === undefined ? [] : [warning('repeats', repeats)]),
      ...claimed.messages,
      ...advice,
    ],
    effects: effectsOf(ref, result, claimed, ports, mode),
  }
}

/** Whether no run of a trigger has succeeded yet, as far as the store knows. */
function isFirstRun({ state }: Snapshot): boolean {
  return state.lastSuccess === null && !state.claims.some(({ done }) => done)
}

/** What can never be handed on, and what is said of it. */
interface LeftOut {
  readonly errors: readonly string[]
}

/**
 * Sends items through `config`, and holds back what would not fit into the outputs; of a webhook, that
 * would be lost. What would not fit into any is left out for good, and told: it would stand in the
 * way of all that comes after.
 */
async function filterAndFit(
  ref: TriggerRef,
  { found }: TriggerResult,
  { scripts, run, folder, store }: EnginePorts,
  { isPolled, snapshot, budget }: RunMode,
  ended: Set<string>,
): Promise<PipelineResult & LeftOut> {
  const { config, keys, name } = ref.trigger
  const lease = config.lease * 60_000
  const seen = snapshot && {
    keyState: keyStates(snapshot, run, { lease, ended }),
    isFirstRun: isFirstRun(snapshot),
    async freeEnded(runs: readonly string[]) {
      for (const one of (await store?.endedRuns?.(runs)) ?? []) ended.add(one)
    },
  }
  const deduplicate = config.shouldDeduplicate ?? isPolled
  const prepared = await runPipeline(found, { config, keys, deduplicate, seen, isPolled, scripts })
  if (!budget) return { ...prepared, errors: [] }
  const weigh = ({ item }: Candidate) =>
    JSON.stringify(buildContexts(ref, [item], folder).contexts).length
  const tooLarge = prepared.kept.filter((candidate) => weigh(candidate) > FULL_BUDGET.units)
  const handleable = prepared.kept.filter((candidate) => !tooLarge.includes(candidate))
  const { fitting, beyond } = takeFitting(budget, handleable, weigh)
  const errors = tooLarge.map((candidate) => {
    const number = keys.own === undefined ? '' : scalarText(candidate.item[keys.own])
    const isNumber = /^[\w.-]{1,64}$/.test(number)
    const which = isNumber ? `${keys.own} ${number}` : `item ${candidate.index + 1}`
    return `${name}: ${which} would take ${weigh(candidate)} characters of the outputs, more than the ${FULL_BUDGET.units} that GitHub lets a job hand on: it is left out, and does not come again`
  })
  return {
    ...prepared,
    kept: fitting,
    heldBack: [...prepared.heldBack, ...beyond],
    recorded: [...prepared.recorded, ...tooLarge],
    log: [
      ...prepared.log,
      ...(tooLarge.length > 0 ? [`${tooLarge.length} left out as too large`] : []),
      ...(beyond.length > 0 ? [`${beyond.length} would not fit into the outputs`] : []),
    ],
    errors,
  }
}

/**
 * What a webhook brought must fit, since nothing of it comes again; told before anything is claimed.
 *
 * @throws UserError
 */
function refuseUnfit(ref: TriggerRef, { kept }: PipelineResult, { folder }: EnginePorts): void {
  const { trigger } = ref
  const { contexts } = buildContexts(
    ref,
    kept.map(({ item }) => item),
    folder,
  )
  const { length } = JSON.stringify(contexts)
  if (length <= LIMITS.itemsUnits) return
  throw new UserError({
    message: `the output "items" would have ${length} characters; GitHub lets a job hand on about ${LIMITS.itemsUnits}`,
    position: trigger.positionOf([]),
    notes: trigger.config.batch
      ? [
          'hand on less of each item: "filterOutputs" or "format" under "config"',
          'or set "exportOutputs": then later steps of this job read them from files',
          'or have the sender send less: a shorter "__batch" in the URL',
        ]
      : ['have the sender send less'],
  })
}

/** `undefined` where there is nothing to claim. */
function wantedKeys(one: PreparedRun): WantedKeys | undefined {
  if ('run' in one) return undefined
  const { ref, prepared, ended } = one
  const keys = [...prepared.kept, ...prepared.recorded].flatMap(({ key, delivery }) =>
    key === undefined ? [] : { key, delivery: delivery?.mark },
  )
  if (keys.length === 0) return undefined
  const { lease, force } = ref.trigger.config
  return { ...triggerId(ref), keys, lease: lease * 60_000, force, ended }
}

/** Another run may have been quicker since the store was read: what it took is left to it. */
function withoutTaken(
  { prepared, mode: { isPolled } }: Looked,
  states: readonly KeyState[],
): PipelineResult {
  const { kept, heldBack, log, messages } = prepared
  const isNew = (_: Candidate, index: number) => states[index]?.status === 'new'
  const taken = states.slice(0, kept.length).filter(({ status }) => status !== 'new')
  if (taken.length === 0) return prepared
  const { log: runs, duplicates } = claimedElsewhere(
    taken.filter(({ status }) => status === 'claimed'),
  )
  const busy = kept.filter((_, index) => states[index]?.status === 'claimed')
  return {
    ...prepared,
    kept: kept.filter(isNew),
    log: [...log, `another run took ${taken.length}`, ...runs],
    heldBack: isPolled ? [...heldBack, ...busy] : heldBack,
    messages: isPolled ? messages : [...messages, ...duplicates],
  }
}

function buildDecision(
  { trigger }: TriggerRef,
  { checks, found, events }: TriggerResult,
  { kept, log }: PipelineResult,
): Decision {
  const decision = { trigger: trigger.name, fired: kept.length > 0, checks }
  if (events) {
    const missed = checks.map((check) => `${check.option} ${check.found}`)
    const tally = { events, found: found.length, handedOn: kept.length, steps: log }
    return { ...decision, reason: [...missed, ...log].join('; '), tally }
  }
  const missed = checks.find((check) => !check.held)
  if (missed)
    return { ...decision, reason: [`${missed.option} ${missed.found}`, ...log].join('; ') }
  const held = checks.map((check) => `${check.option}: ${check.found}`)
  const tally = { found: found.length, handedOn: kept.length, steps: log }
  // What kept all items back comes first: what held is of less interest then.
  const reasons = kept.length > 0 ? [...held, ...log] : [...log, ...held]
  return { ...decision, reason: reasons.join('; '), tally }
}

/**
 * With a store one commit, when something was claimed, when `every` or `skipFirst` ask for the last
 * success, or when the next poll is to begin elsewhere; without one, the acknowledgement.
 */
function effectsOf(
  ref: TriggerRef,
  { cursorBefore, found }: TriggerResult,
  { kept, recorded, heldBack }: PipelineResult,
  { store, run }: EnginePorts,
  { isPolled, snapshot }: RunMode,
): Effect[] {
  const { every, skipFirst } = ref.trigger.config
  const cursor = cursorBefore?.(Math.min(found.length, ...heldBack.map(({ index }) => index)))
  if (!store) {
    const acknowledges = cursor !== undefined && ref.trigger.forgets
    return acknowledges ? [{ kind: 'acknowledge', ...triggerId(ref), cursor }] : []
  }
  const claimed = [...kept, ...recorded].some(({ key }) => key !== undefined)
  const moves =
    cursor !== undefined && JSON.stringify(cursor) !== JSON.stringify(snapshot?.state.cursor)
  if (!claimed && !skipFirst && !moves && !(isPolled && every !== undefined)) return []
  // What nobody asks for would be one more file in every commit.
  const isAsked = skipFirst || (isPolled && every !== undefined)
  const at = snapshot?.now ?? run.at
  return [{ kind: 'commit', ...triggerId(ref), ...(isAsked && { at }), ...(moves && { cursor }) }]
}

export function triggerId({ workflow, trigger }: TriggerRef) {
  return { workflow: workflow.name, trigger: trigger.name }
}

/** A trigger that does not look at the event at all. */
export function notFired(ref: TriggerRef, reason: string): TriggerRun {
  return {
    ...ref,
    decision: { trigger: ref.trigger.name, fired: false, reason, checks: [] },
    found: [],
    items: [],
    deliveries: [],
    contexts: [],
    fields: [],
    files: [],
    effects: [],
    messages: [],
  }
}

/** A mistake in `config` as one that the user is shown in the workflow file; others as they are. */
export function placed(error: unknown, { trigger }: TriggerRef): unknown {
  if (!(error instanceof OptionError)) return error
  const position = trigger.positionOf(['config', error.option])
  return new UserError({ message: error.message, position }, { cause: error })
}

/**
 * What a trigger that failed comes to, as its `config` says: a warning, or an item that tells of it.
 * Such a run leaves nothing to commit or acknowledge.
 *
 * @throws the error, where `config` excuses nothing
 */
function failedRun(error: unknown, ref: TriggerRef): TriggerRun {
  const { skipOnError, buildOutputsOnError } = ref.trigger.config
  const excused = skipOnError || buildOutputsOnError
  if (!excused || error instanceof PayloadError) throw placed(error, ref)
  // The message of an error that is none of ours may carry a payload, so only its kind is told.
  const message =
    error instanceof UserError || error instanceof OptionError
      ? error.message.replace(/\s+/g, ' ')
      : `internal error (${error instanceof Error ? error.name : typeof error})`
  const text = `${ref.workflow.name}/${ref.trigger.name} failed: ${message}`
  const run = { ...notFired(ref, `failed: ${message}`), messages: [warning('failed', text)] }
  if (!buildOutputsOnError) return run
  const contexts = [failedContext(ref.workflow, ref.trigger.name)]
  const fields = Object.keys(ref.trigger.definition.outputs)
  return { ...run, items: [{}], contexts, fields, decision: { ...run.decision, fired: true } }
}
