import type { Candidate } from '../items/candidate.ts'
import { BLANK_LEDGER, type Ledger } from '../items/ledger.ts'
import { type Prepared, prepare } from '../items/prepare.ts'
import { standings } from '../state/claims.ts'
import type { Catch } from './catch.ts'
import type { Effect } from './effects.ts'
import type { Decision } from './evaluation.ts'
import type { Addressed } from './events.ts'
import { failed, placed } from './failure.ts'
import { type Firing, notFired } from './firing.ts'
import { handOn } from './hand-on.ts'
import { checkStore } from './needs-store.ts'
import type { EnginePorts } from './ports.ts'
import { fitInto, type Room, WHOLE_ROOM } from './room.ts'

/** The way that items come, and how much room is left for them in the outputs. */
export interface Way {
  readonly polled: boolean
  /** There for a polled trigger: what finds none comes with a later run. */
  readonly room?: Room
}

/**
 * Looks for items with one trigger, sends them through its `config`, and claims in the store what
 * is handed on. What is held back, because of `limit`, another run or its size, is not acknowledged.
 *
 * @throws UserError
 */
export async function fire(
  at: Addressed,
  look: () => Promise<Catch>,
  ports: EnginePorts,
  way: Way,
): Promise<Firing> {
  try {
    checkStore(at, way.polled, ports.store !== undefined)
    const ledger = await readLedger(at, way, ports)
    const found = await lookAndPrepare(at, look, ledger, ports, way).catch((error: unknown) =>
      failed(error, at),
    )
    if ('decision' in found) return found
    return finish(at, found.caught, await claim(at, found.prepared, ports), ports)
  } catch (error) {
    throw placed(error, at)
  }
}

function deduplicates({ trigger }: Addressed, { polled }: Way): boolean {
  return trigger.config.shouldDeduplicate ?? polled
}

async function readLedger(at: Addressed, way: Way, { store, run }: EnginePorts): Promise<Ledger> {
  const asked = deduplicates(at, way) || at.trigger.config.skipFirst
  if (!store || !asked) return BLANK_LEDGER
  const state = await store.read(id(at))
  return { standing: standings(state, run), isFirstRun: state.lastSuccess === null }
}

async function lookAndPrepare(
  at: Addressed,
  look: () => Promise<Catch>,
  ledger: Ledger,
  { scripts, folder }: EnginePorts,
  way: Way,
): Promise<{ readonly caught: Catch; readonly prepared: Prepared }> {
  const caught = await look()
  const { config, keys } = at.trigger
  const settings = { config, keys, deduplicate: deduplicates(at, way), ledger, scripts }
  const prepared = await prepare(caught.found, settings)
  if (!way.room) return { caught, prepared }
  const weigh = ({ item }: Candidate) => JSON.stringify(handOn(at, [item], folder).contexts).length
  return { caught, prepared: withinRoom(prepared, way.room, weigh) }
}

/** Holds back what would not fit into the outputs; of a webhook, that would be lost. */
function withinRoom(prepared: Prepared, room: Room, weigh: (item: Candidate) => number): Prepared {
  const { fitting, beyond } = fitInto(room, prepared.kept, weigh, room === WHOLE_ROOM)
  if (beyond.length === 0) return prepared
  const account = [...prepared.account, `${beyond.length} would not fit into the outputs`]
  return { ...prepared, kept: fitting, heldBack: [...prepared.heldBack, ...beyond], account }
}

/** Another run may have been quicker since the ledger was read: what it took is left to it. */
async function claim(
  at: Addressed,
  prepared: Prepared,
  { store, run }: EnginePorts,
): Promise<Prepared> {
  const { kept, recorded, heldBack } = prepared
  const keys = [...kept, ...recorded].flatMap(({ key }) => key ?? [])
  if (!store || keys.length === 0) return prepared
  const standing = await store.claim(id(at), keys, run, at.trigger.config.force)
  const fresh = kept.filter((_, index) => standing[index] === 'fresh')
  const taken = kept.length - fresh.length
  return {
    ...prepared,
    kept: fresh,
    account: taken > 0 ? [...prepared.account, `another run took ${taken}`] : prepared.account,
    heldBack: [...heldBack, ...kept.filter((_, index) => standing[index] === 'busy')],
  }
}

function finish(at: Addressed, caught: Catch, prepared: Prepared, ports: EnginePorts): Firing {
  const items = prepared.kept.map(({ item }) => item)
  const decision = decided(at, caught, prepared)
  return {
    ...notFired(at, decision.reason),
    ...handOn(at, items, ports.folder),
    decision,
    found: caught.found.map(({ item }) => item),
    items,
    warnings: caught.warnings,
    notices: prepared.notices,
    effects: [...commits(at, prepared, ports), ...acknowledgements(at, caught, prepared)],
  }
}

function decided({ trigger }: Addressed, { checks, found }: Catch, prepared: Prepared): Decision {
  const { kept, account } = prepared
  const decision = { trigger: trigger.name, fired: kept.length > 0, checks }
  const missed = checks.find((check) => !check.held)
  if (missed) return { ...decision, reason: `${missed.option} ${missed.found}` }
  const held = checks.map((check) => `${check.option}: ${check.found}`)
  const tally = { found: found.length, handedOn: kept.length, account }
  return { ...decision, reason: [...held, ...account].join('; '), tally }
}

/** A run that claimed something, or whose success `every` and `skipFirst` ask about. */
function commits(at: Addressed, prepared: Prepared, { store, run }: EnginePorts): Effect[] {
  const { every, skipFirst } = at.trigger.config
  const claimed = [...prepared.kept, ...prepared.recorded].some(({ key }) => key !== undefined)
  if (!store || !(claimed || skipFirst || every !== undefined)) return []
  return [{ kind: 'commit', ...id(at), at: run.at }]
}

function acknowledgements(
  at: Addressed,
  { cursorBefore, found }: Catch,
  { heldBack }: Prepared,
): Effect[] {
  const cursor = cursorBefore?.(Math.min(found.length, ...heldBack.map(({ index }) => index)))
  return cursor === undefined ? [] : [{ kind: 'acknowledge', ...id(at), cursor }]
}

function id({ workflow, trigger }: Addressed) {
  return { workflow: workflow.name, trigger: trigger.name }
}
