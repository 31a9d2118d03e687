import type { BoundTrigger } from '../triggers/trigger.ts'
import type { StorePlace } from './place.ts'
import type { StateBackend } from './store.ts'

/** A kind of store, as the value of `state` names it: `<kind>:<value>`. */
interface StoreKind {
  readonly form: string
  accepts(value: string): boolean
  open(value: string, place: StorePlace): Promise<StateBackend>
}

/** What git allows in the name of a branch, but for its rarer characters. */
const BRANCH_NAME = /^(?!.*(\.\.|\/[/.]|\.lock(\/|$)|[/.]$))[A-Za-z0-9_][\w./-]*$/

/** Every kind of store: one file and one line. */
const STORES: ReadonlyMap<string, StoreKind> = new Map([
  [
    'file',
    {
      form: 'file:<path>',
      accepts: (path) => path !== '',
      open: async (path, place) => (await import('./file.ts')).openFile(path, place),
    },
  ],
  [
    'branch',
    {
      form: 'branch:<name>',
      accepts: (name) => BRANCH_NAME.test(name),
      open: async (name, place) => (await import('./branch.ts')).openBranch(name, place),
    },
  ],
])

/** What `state` may be, as a list for a message: `none, file:<path>, branch:<name>`. */
export const STATE_FORMS = ['none', ...[...STORES.values()].map(({ form }) => form)].join(', ')

/** The kinds of stores, as `state` names them. */
export const STORE_KINDS: readonly string[] = [...STORES.keys()]

/** The same in words, for a help text: `none, file:<path> or branch:<name>`. */
export const STATE_FORMS_IN_WORDS = STATE_FORMS.replace(/, ([^,]+)$/, ' or $1')

/** Where runs remember what they have handed on. */
export interface StateChoice {
  /** `none`, or a kind of store. */
  readonly kind: string
  /** What stands behind the colon: a path, the name of a branch. */
  readonly value: string
}

/** Reads `state`, as the input and the options of the commands have it; `undefined` when it is none of `STATE_FORMS`. */
export function parseState(text: string): StateChoice | undefined {
  const trimmed = text.trim()
  if (trimmed === 'none' || trimmed === '') return { kind: 'none', value: '' }
  const [, kind = '', value = ''] = /^([a-z]+):\s*(.*)$/.exec(trimmed) ?? []
  return STORES.get(kind)?.accepts(value) ? { kind, value } : undefined
}

/** Opens a store without looking what is there; `undefined` for `none`. */
export async function openState(
  { kind, value }: StateChoice,
  place: StorePlace,
): Promise<StateBackend | undefined> {
  return STORES.get(kind)?.open(value, place)
}

/** An option that a trigger asks for, and what it cannot be had without. */
interface StoreNeed {
  /** Key of `config`. */
  readonly option: 'shouldDeduplicate' | 'skipFirst' | 'limit' | 'every'
  readonly needs: 'a store' | 'shouldDeduplicate'
}

interface StoreQuestion {
  readonly hasStore: boolean
  /** Whether the items come from a poll. */
  readonly isPolled: boolean
  /** Whether the schedule is as rare as a numeric `every`, so that nobody has to ask for the last success. */
  readonly isEveryExact: boolean
}

/**
 * The one rule of who needs a store: what is asked for explicitly, and means something only across
 * runs. A default that would like a store does without.
 */
export function storeNeeds(
  { config }: Pick<BoundTrigger, 'config'>,
  { hasStore, isPolled, isEveryExact }: StoreQuestion,
): StoreNeed[] {
  const { shouldDeduplicate, skipFirst, limit, sort, sortScript, every, force } = config
  // What is cut off may lie before what is handed on, which then is not acknowledged and comes again.
  const cuts = isPolled && limit !== undefined && (sort ?? sortScript) !== undefined
  if (hasStore) {
    return cuts && shouldDeduplicate === false
      ? [{ option: 'limit', needs: 'shouldDeduplicate' }]
      : []
  }
  const asksWhen = isPolled && !force && !isEveryExact && every?.minutes !== undefined
  const options = [
    shouldDeduplicate && 'shouldDeduplicate',
    skipFirst && 'skipFirst',
    cuts && 'limit',
    asksWhen && every.minutes > 0 && 'every',
  ] as const
  return options.flatMap((option) => (option ? [{ option, needs: 'a store' }] : []))
}

/** What is to be said of a trigger that polls a service which forgets nothing; else `undefined`. */
export function repeatWarning(
  { forgets }: Pick<BoundTrigger, 'forgets'>,
  { hasStore, isPolled }: Pick<StoreQuestion, 'hasStore' | 'isPolled'>,
): string | undefined {
  if (hasStore || !isPolled || forgets) return undefined
  return 'what it polls cannot be acknowledged: without a store every entry comes again with every run'
}
