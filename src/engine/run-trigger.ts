import { keyStatuses, NO_SEEN_KEYS, type SeenKeys } from '../state/index.ts'
import type { Check, Item, Polled, Reception } from '../triggers/trigger.ts'
import { OptionError, PayloadError, UserError } from '../wire/errors.ts'
import type { Json } from '../wire/json.ts'
import type { WebhookRequest } from '../wire/request.ts'
import type { Candidate, Found } from './candidate.ts'
import type { Effect } from './effects.ts'
import type { EnginePorts, TriggerRef } from './event.ts'
import { type PipelineResult, runPipeline } from './pipeline.ts'
import {
  buildContexts,
  type Decision,
  type Evaluation,
  FULL_BUDGET,
  failedContext,
  type OnContext,
  type OutputBudget,
  type OutputFile,
  takeFitting,
} from './result.ts'
import { checkStore } from './schedule.ts'

/** The way that items come, and how much room is left for them in the outputs. */
interface RunMode {
  readonly fromPoll: boolean
  /** There for a polled trigger: what finds none comes with a later run. */
  readonly room?: OutputBudget
}

/**
 * Looks for items with one trigger, sends them through its `config`, and claims in the store what
 * is handed on. What is held back, because of `limit`, another run or its size, is not acknowledged.
 *
 * @throws UserError
 */
export async function runTrigger(
  at: TriggerRef,
  look: () => Promise<TriggerResult>,
  ports: EnginePorts,
  way: RunMode,
): Promise<TriggerRun> {
  try {
    checkStore(at, way.fromPoll, ports.store !== undefined)
    const ledger = await readSeenKeys(at, way, ports)
    const found = await findAndFilter(at, look, ledger, ports, way).catch((error: unknown) =>
      failed(error, at),
    )
    if ('decision' in found) return found
    return finish(at, found.caught, await claim(at, found.prepared, ports), ports)
  } catch (error) {
    throw placed(error, at)
  }
}

function deduplicates({ trigger }: TriggerRef, { fromPoll }: RunMode): boolean {
  return trigger.config.shouldDeduplicate ?? fromPoll
}

async function readSeenKeys(
  at: TriggerRef,
  way: RunMode,
  { store, run }: EnginePorts,
): Promise<SeenKeys> {
  const asked = deduplicates(at, way) || at.trigger.config.skipFirst
  if (!store || !asked) return NO_SEEN_KEYS
  const state = await store.read(triggerId(at))
  return { standing: keyStatuses(state, run), isFirstRun: state.lastSuccess === null }
}

async function findAndFilter(
  at: TriggerRef,
  look: () => Promise<TriggerResult>,
  ledger: SeenKeys,
  { scripts, folder }: EnginePorts,
  way: RunMode,
): Promise<{ readonly caught: TriggerResult; readonly prepared: PipelineResult }> {
  const caught = await look()
  const { config, keys } = at.trigger
  const settings = { config, keys, deduplicate: deduplicates(at, way), ledger, scripts }
  const prepared = await runPipeline(caught.found, settings)
  if (!way.room) return { caught, prepared }
  const weigh = ({ item }: Candidate) =>
    JSON.stringify(buildContexts(at, [item], folder).contexts).length
  return { caught, prepared: withinBudget(prepared, way.room, weigh) }
}

/** Holds back what would not fit into the outputs; of a webhook, that would be lost. */
function withinBudget(
  prepared: PipelineResult,
  room: OutputBudget,
  weigh: (item: Candidate) => number,
): PipelineResult {
  const { fitting, beyond } = takeFitting(room, prepared.kept, weigh, room === FULL_BUDGET)
  if (beyond.length === 0) return prepared
  const account = [...prepared.account, `${beyond.length} would not fit into the outputs`]
  return { ...prepared, kept: fitting, heldBack: [...prepared.heldBack, ...beyond], account }
}

/** Another run may have been quicker since the ledger was read: what it took is left to it. */
async function claim(
  at: TriggerRef,
  prepared: PipelineResult,
  { store, run }: EnginePorts,
): Promise<PipelineResult> {
  const { kept, recorded, heldBack } = prepared
  const keys = [...kept, ...recorded].flatMap(({ key }) => key ?? [])
  if (!store || keys.length === 0) return prepared
  const standing = await store.claim(triggerId(at), keys, run, at.trigger.config.force)
  const fresh = kept.filter((_, index) => standing[index] === 'fresh')
  const taken = kept.length - fresh.length
  return {
    ...prepared,
    kept: fresh,
    account: taken > 0 ? [...prepared.account, `another run took ${taken}`] : prepared.account,
    heldBack: [...heldBack, ...kept.filter((_, index) => standing[index] === 'busy')],
  }
}

function finish(
  at: TriggerRef,
  caught: TriggerResult,
  prepared: PipelineResult,
  ports: EnginePorts,
): TriggerRun {
  const items = prepared.kept.map(({ item }) => item)
  const decision = buildDecision(at, caught, prepared)
  return {
    ...notFired(at, decision.reason),
    ...buildContexts(at, items, ports.folder),
    decision,
    found: caught.found.map(({ item }) => item),
    items,
    warnings: caught.warnings,
    notices: prepared.notices,
    effects: [...commits(at, prepared, ports), ...acknowledgements(at, caught, prepared)],
  }
}

function buildDecision(
  { trigger }: TriggerRef,
  { checks, found }: TriggerResult,
  prepared: PipelineResult,
): Decision {
  const { kept, account } = prepared
  const decision = { trigger: trigger.name, fired: kept.length > 0, checks }
  const missed = checks.find((check) => !check.held)
  if (missed) return { ...decision, reason: `${missed.option} ${missed.found}` }
  const held = checks.map((check) => `${check.option}: ${check.found}`)
  const tally = { found: found.length, handedOn: kept.length, account }
  return { ...decision, reason: [...held, ...account].join('; '), tally }
}

/** A run that claimed something, or whose success `every` and `skipFirst` ask about. */
function commits(at: TriggerRef, prepared: PipelineResult, { store, run }: EnginePorts): Effect[] {
  const { every, skipFirst } = at.trigger.config
  const claimed = [...prepared.kept, ...prepared.recorded].some(({ key }) => key !== undefined)
  if (!store || !(claimed || skipFirst || every !== undefined)) return []
  return [{ kind: 'commit', ...triggerId(at), at: run.at }]
}

function acknowledgements(
  at: TriggerRef,
  { cursorBefore, found }: TriggerResult,
  { heldBack }: PipelineResult,
): Effect[] {
  const cursor = cursorBefore?.(Math.min(found.length, ...heldBack.map(({ index }) => index)))
  return cursor === undefined ? [] : [{ kind: 'acknowledge', ...triggerId(at), cursor }]
}

function triggerId({ workflow, trigger }: TriggerRef) {
  return { workflow: workflow.name, trigger: trigger.name }
}

/** What one trigger made of an event. */
export interface TriggerRun extends TriggerRef {
  readonly decision: Decision
  /** As the trigger found them, before `config`. */
  readonly found: readonly Item[]
  readonly items: readonly Item[]
  readonly contexts: readonly OnContext[]
  readonly fields: readonly string[]
  readonly files: readonly OutputFile[]
  readonly effects: readonly Effect[]
  readonly warnings: readonly string[]
  readonly notices: readonly string[]
}

/** A trigger that does not look at the event at all. */
export function notFired(at: TriggerRef, reason: string): TriggerRun {
  return {
    ...at,
    decision: { trigger: at.trigger.name, fired: false, reason, checks: [] },
    found: [],
    items: [],
    contexts: [],
    fields: [],
    files: [],
    effects: [],
    warnings: [],
    notices: [],
  }
}

/** What several triggers came to together; the first that fired gives the field outputs. */
export function mergeRuns(firings: readonly TriggerRun[]): Partial<Evaluation> {
  const first = firings.find(({ items }) => items.length > 0)
  const several = new Set(firings.map(({ workflow }) => workflow)).size > 1
  const reasons = firings.map(({ workflow, decision: { trigger, reason } }) => {
    return `${several ? `${workflow.name}/${trigger}` : trigger}: ${reason}`
  })
  return {
    ...(first && { workflow: first.workflow.name, trigger: first.trigger.name }),
    fields: first?.fields ?? [],
    reason: first ? undefined : reasons.join('; '),
    found: firings.flatMap(({ found }) => found),
    items: firings.flatMap(({ items }) => items),
    contexts: firings.flatMap(({ contexts }) => contexts),
    owners: several ? firings.flatMap(ownersOf) : [],
    files: firings.flatMap(({ files }) => files),
    warnings: firings.flatMap(({ warnings }) => warnings),
    notices: firings.flatMap(({ notices }) => notices),
    effects: firings.flatMap(({ effects }) => effects),
  }
}

function ownersOf({ workflow, contexts }: TriggerRun): string[] {
  return contexts.map(() => workflow.name)
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
function failed(error: unknown, at: TriggerRef): TriggerRun {
  const { skipOnError, buildOutputsOnError } = at.trigger.config
  const excused = skipOnError || buildOutputsOnError
  if (!excused || error instanceof PayloadError) throw placed(error, at)
  const message = describe(error)
  const warnings = [`${at.workflow.name}/${at.trigger.name} failed: ${message}`]
  const firing = { ...notFired(at, `failed: ${message}`), warnings }
  if (!buildOutputsOnError) return firing
  const contexts = [failedContext(at.workflow, at.trigger.name)]
  const fields = Object.keys(at.trigger.definition.outputs)
  return { ...firing, items: [{}], contexts, fields, decision: { ...firing.decision, fired: true } }
}

/** The message of an error that is none of ours may carry a payload, so only its kind is told. */
function describe(error: unknown): string {
  if (error instanceof UserError || error instanceof OptionError) {
    return error.message.replace(/\s+/g, ' ')
  }
  return `internal error (${error instanceof Error ? error.name : typeof error})`
}

/** What a trigger found, whichever way it came. */
interface TriggerResult {
  readonly checks: readonly Check[]
  readonly warnings: readonly string[]
  readonly found: readonly Found[]
  /** For what was polled: what acknowledges everything before a place. */
  readonly cursorBefore?: (index: number) => Json | undefined
}

/** A request is the same as another one by what was asked for, whatever its headers say. */
export function fromReception(
  { checks, items, warnings = [] }: Reception,
  { method, path, query, body }: WebhookRequest,
): TriggerResult {
  const identity = { method, path, query, body }
  const only = items.length === 1
  const found = items.map((item) => ({ item, identity: only ? identity : [identity, item] }))
  return { checks, warnings, found }
}

export function polled(polled: Polled): TriggerResult {
  const { checks, items, warnings = [] } = polled
  const found = items.map((item) => ({ item, identity: item }))
  return { checks, warnings, found, cursorBefore: (index) => polled.cursorBefore(index) }
}
