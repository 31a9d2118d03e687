import { storeNeeds } from '../state/index.ts'
import { type KeyState, keyStates, type Snapshot, type WantedKeys } from '../state/store.ts'
import { type Config, IGNORED_KEYS } from '../triggers/config-options.ts'
import type { Check } from '../triggers/trigger.ts'
import { parseDataPath } from '../wire/data-path.ts'
import { OptionError, PayloadError, UserError } from '../wire/errors.ts'
import { isObject, type Json, tryParseJson } from '../wire/json.ts'
import { type Message, notice, warning } from '../wire/messages.ts'
import type { Found } from './deduplication-keys.ts'
import type { EnginePorts, TriggerRef } from './engine-ports.ts'
import {
  buildContexts,
  type Decision,
  type Effect,
  FailedRun,
  failedContext,
  type OnContext,
  type TriggerRun,
} from './evaluation.ts'
import { failureMessages, reportFailed, retryFailed } from './failed-items.ts'
import { fitIntoOutputs, type OutputBudget, refuseUnfit } from './output-budget.ts'
import {
  type Candidate,
  claimedElsewhere,
  claimedKey,
  ItemsFailed,
  type PipelineResult,
  runPipeline,
} from './pipeline.ts'
import { needsStore } from './poll-schedule.ts'
import type { TriggerResult } from './trigger-result.ts'

/** How a trigger gets its items: polled or not, the state of the store, and the output quota. */
export interface RunMode {
  readonly isPolled: boolean
  /** Present if the store was read. */
  readonly snapshot: Snapshot | undefined
  /** Present for a polled trigger: items beyond the budget come with a later run. */
  readonly budget?: OutputBudget
}

/** True if the items of a webhook need the seen keys of the store. */
export function asksStore({ trigger }: TriggerRef): boolean {
  return trigger.config.shouldDeduplicate === true || trigger.config.skipFirst
}

/** A trigger before the claims of its items; or its whole run if there is nothing to claim. */
export type PreparedRun =
  | { readonly run: TriggerRun }
  | {
      readonly ref: TriggerRef
      readonly mode: RunMode
      readonly result: TriggerResult
      readonly prepared: PipelineResult
      /** Runs that have ended without success; see `ClaimOptions`. */
      readonly ended: ReadonlyMap<string, number>
    }

/**
 * Finds the items of one trigger, and applies `config` to them. Nothing is claimed yet.
 *
 * @throws UserError if the trigger fails and its `config` does not excuse that
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
    const ended = new Map<string, number>()
    let result: TriggerResult
    let prepared: PipelineResult
    try {
      result = await look()
      prepared = await filterAndFit(ref, result, ports, mode, ended)
      if (!mode.isPolled) refuseUnfit(ref, prepared, ports.folder)
    } catch (error) {
      return { run: failedRun(error, ref) }
    }
    return { ref, mode, result, prepared, ended }
  } catch (error) {
    throw placed(error, ref)
  }
}

/** The contexts of a run before anything is claimed; claims of other runs can make them fewer. */
export function preparedContexts(one: PreparedRun, { folder }: EnginePorts): readonly OnContext[] {
  if ('run' in one) return one.run.contexts
  return buildContexts(one.ref, one.prepared.kept, folder).contexts
}

/**
 * Claims in the store the items of all triggers in one step. An item that is held back, because of
 * `limit`, another run or its size, is not acknowledged.
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
  const built = buildContexts(ref, claimed.kept, ports.folder)
  const decision = buildDecision(ref, result, claimed)
  // `config` keys of an existing workflow that have no effect in Hookline are accepted with a
  // notice.
  const unused = [...IGNORED_KEYS].filter(([key]) => Object.hasOwn(ref.trigger.config, key))
  const advice = unused.map(([key, advice]) =>
    notice('unused-option', `config.${key} has no effect here: ${advice}`),
  )
  const { config, keys } = ref.trigger
  const path = keys.by ?? keys.chosen
  // Without a store, the key waits for one: hookline init writes it for many senders.
  if (path && !mode.isPolled && ports.store && config.shouldDeduplicate === undefined) {
    const option = path === keys.by ? 'config.deduplicateBy' : 'deduplicationKey'
    const text = `${option} (${path.text}) has no effect without config.shouldDeduplicate: true`
    advice.push(notice('unused-option', text))
  }
  const failed = reportFailed(ref, prepared.failed)
  return {
    ...notFired(ref, decision.reason),
    ...built,
    failed,
    decision,
    found: result.found.map(({ item }) => item),
    deliveries: [...new Set(claimed.kept.flatMap(({ delivery }) => delivery?.id ?? []))],
    messages: [
      ...failureMessages(ref, failed, mode.isPolled ? 'error' : 'warning'),
      ...result.faults,
      ...result.messages,
      ...built.messages,
      ...claimed.messages,
      ...advice,
    ],
    effects: effectsOf(ref, result, claimed, ports, mode),
  }
}

async function filterAndFit(
  ref: TriggerRef,
  { found }: TriggerResult,
  { scripts, run, folder, store }: EnginePorts,
  { isPolled, snapshot, budget }: RunMode,
  ended: Map<string, number>,
): Promise<PipelineResult> {
  const { config, keys } = ref.trigger
  const lease = config.lease * 60_000
  const seen = snapshot && {
    keyState: keyStates(snapshot, run, { lease, ended }),
    isFirstRun:
      snapshot.state.lastSuccess === null && !snapshot.state.claims.some(({ done }) => done),
    async freeEnded(runs: readonly string[]) {
      // A re-run may claim while GitHub answers, so only the claims that were read before are freed.
      for (const one of (await store?.endedRuns?.(runs)) ?? []) {
        const claims = snapshot.state.claims.filter((claim) => claim.run === one)
        ended.set(one, Math.max(...claims.map(({ at }) => at)))
      }
    },
  }
  const deduplicate = config.shouldDeduplicate ?? isPolled
  const context = { config, keys, deduplicate, seen, isPolled, scripts }
  let prepared = await runPipeline(found, context)
  if (isPolled && deduplicate && seen) prepared = await retryFailed(prepared, keys, seen)
  return fitIntoOutputs(ref, prepared, folder, budget)
}

/** `undefined` if there is nothing to claim. */
function wantedKeys(one: PreparedRun): WantedKeys | undefined {
  if ('run' in one) return undefined
  const { ref, prepared, ended } = one
  const keys = [...prepared.kept, ...prepared.recorded].flatMap(({ key, delivery }) =>
    key === undefined ? [] : claimedKey(key, delivery),
  )
  if (keys.length === 0) return undefined
  const { lease, force } = ref.trigger.config
  return { ...triggerId(ref), keys, lease: lease * 60_000, force, ended }
}

/** Drops the items that another run claimed after the store was read. */
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
  { checks, found, faults, events }: TriggerResult,
  { kept, log, reasons }: PipelineResult,
): Decision {
  const bodyFaults = kept.length > 0 ? [] : faultsOfDrop(trigger.config, checks, found, faults, log)
  const decision = {
    trigger: trigger.name,
    fired: kept.length > 0,
    checks,
    ...(bodyFaults.length > 0 && { bodyFaults }),
  }
  if (events) {
    const missed = checks.map((check) => `${check.option} ${check.found}`)
    const tally = { events, found: found.length, passedOn: kept.length, steps: log }
    return {
      ...decision,
      reason: [...missed, ...log, ...bodyFaults, ...reasons].join('; '),
      tally,
    }
  }
  const missed = checks.find((check) => !check.held)
  if (missed)
    return {
      ...decision,
      reason: [`${missed.option} ${missed.found}`, ...log, ...bodyFaults].join('; '),
    }
  const held = checks.map((check) => `${check.option}: ${check.found}`)
  const tally = { found: found.length, passedOn: kept.length, steps: log }
  // If no item is left, the reasons that held items back are more useful, so they come first.
  const parts = kept.length > 0 ? [...held, ...log] : [...log, ...bodyFaults, ...reasons, ...held]
  return { ...decision, reason: parts.join('; '), tally }
}

/**
 * The faults of a body for the reason of a trigger that did not fire: none, unless a filter or the trigger
 * itself read the body.
 *
 * @param log the steps that dropped items
 */
function faultsOfDrop(
  { filter }: Config,
  checks: readonly Check[],
  found: readonly Found[],
  faults: readonly Message[],
  log: readonly string[],
): string[] {
  const dropped = (step: string) => log.some((line) => line.startsWith(`${step} dropped`))
  const isScript = dropped('filterScript')
  const isRefused = checks.some(({ option, held }) => option === 'body' && !held)
  if (!dropped('filter') && !isScript && !isRefused) return []
  const readsBelow = isScript || pathsOf(filter).some(isInPayload)
  const isPayloadForm = readsBelow && found.some(({ item }) => isFormOfPayload(item.body))
  return [...faults.map(({ text }) => text), ...(isPayloadForm ? [PAYLOAD_FORM] : [])]
}

const PAYLOAD_FORM = 'the body is a form whose field `payload` contains JSON'

/** Whether a path names something in the JSON of the field, as if the body were this JSON, or the field were. */
function isInPayload(path: string): boolean {
  const [first, second, third] = parseDataPath(path).steps
  if (first?.name !== 'body' || second === undefined) return false
  return second.name !== 'payload' || third !== undefined
}

function pathsOf(filter: Json | undefined): string[] {
  if (Array.isArray(filter)) return filter.flatMap(pathsOf)
  if (!isObject(filter)) return []
  return Object.entries(filter).flatMap(
    (
      [path, wanted], // parsed from YAML
    ) => (path.startsWith('$') ? pathsOf(wanted) : path),
  )
}

function isFormOfPayload(body: Json | undefined): boolean {
  if (!isObject(body) || Object.keys(body).join() !== 'payload') return false
  return typeof body.payload === 'string' && isObject(tryParseJson(body.payload))
}

/**
 * With a store this is one commit, if something was claimed, if `every` or `skipFirst` need the
 * last success, or if the cursor of the poll moved. Without a store it is the acknowledgement.
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
    return cursor === undefined ? [] : [{ kind: 'acknowledge', ...triggerId(ref), cursor }]
  }
  const claimed = [...kept, ...recorded].some(({ key }) => key !== undefined)
  const moves =
    cursor !== undefined && JSON.stringify(cursor) !== JSON.stringify(snapshot?.state.cursor)
  if (!claimed && !skipFirst && !moves && !(isPolled && every !== undefined)) return []
  // Without a reader of the last success, the commit would only change one more file.
  const isAsked = skipFirst || (isPolled && every !== undefined)
  const at = snapshot?.now ?? run.at
  return [{ kind: 'commit', ...triggerId(ref), ...(isAsked && { at }), ...(moves && { cursor }) }]
}

export function triggerId({ workflow, trigger }: TriggerRef) {
  return { workflow: workflow.name, trigger: trigger.name }
}

/** The run of a trigger that does not look at the event. */
export function notFired(ref: TriggerRef, reason: string): TriggerRun {
  return {
    ...ref,
    decision: { trigger: ref.trigger.name, fired: false, reason, checks: [] },
    found: [],
    items: [],
    deliveries: [],
    failed: [],
    contexts: [],
    fields: [],
    files: [],
    effects: [],
    messages: [],
  }
}

/**
 * Adds the position in the workflow file to a mistake in `config`; returns other errors unchanged.
 */
export function placed(error: unknown, ref: TriggerRef): unknown {
  if (!(error instanceof OptionError)) return error
  const position = ref.trigger.positionOf(['config', error.option])
  const failed = error instanceof ItemsFailed ? reportFailed(ref, error.failed) : []
  return new FailedRun({ message: error.message, position }, failed, { cause: error })
}

/**
 * The run of a trigger that failed, by its `config`: a warning, or an item that reports the
 * failure. Such a run commits and acknowledges nothing.
 *
 * @throws the error, if `config` does not excuse it
 */
function failedRun(error: unknown, ref: TriggerRef): TriggerRun {
  const { skipOnError, buildOutputsOnError } = ref.trigger.config
  const excused = skipOnError || buildOutputsOnError
  if (!excused || error instanceof PayloadError) throw placed(error, ref)
  // An unknown error may quote the payload, so only its kind is shown.
  const message =
    error instanceof UserError || error instanceof OptionError
      ? error.message.replace(/\s+/g, ' ')
      : `internal error (${error instanceof Error ? error.name : typeof error})`
  const text = `${ref.workflow.name}/${ref.trigger.name} failed: ${message}`
  const reported = error instanceof FailedRun ? error.failed : []
  const failed = error instanceof ItemsFailed ? reportFailed(ref, error.failed) : reported
  const messages = [warning('failed', text)]
  const run = { ...notFired(ref, `failed: ${message}`), failed, messages }
  if (!buildOutputsOnError) return run
  const contexts = [failedContext(ref.workflow, ref.trigger.name)]
  const fields = Object.keys(ref.trigger.definition.outputs)
  return { ...run, items: [{}], contexts, fields, decision: { ...run.decision, fired: true } }
}
