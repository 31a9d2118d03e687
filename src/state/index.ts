import type { BoundTrigger } from '../triggers/trigger.ts'
import type { StorePlace } from './place.ts'
import type { StateBackend } from './store.ts'

/** A kind of store; `state` is `<kind>:<value>`. */
interface StoreKind {
  readonly form: string
  accepts(value: string): boolean
  open(value: string, place: StorePlace): Promise<StateBackend>
}

/** The names that git allows for a branch, without some rare characters. */
const BRANCH_NAME = /^(?!.*(\.\.|\/[/.]|\.lock(\/|$)|[/.]$))[A-Za-z0-9_][\w./-]*$/

/** Every kind of store. A new kind is one file and one line here. */
const STORES: ReadonlyMap<string, StoreKind> = new Map(
  Object.entries<StoreKind>({
    file: {
      form: 'file:<path>',
      accepts: (path) => path !== '',
      open: async (path, place) => (await import('./file.ts')).openFile(path, place),
    },
    branch: {
      form: 'branch:<name>',
      accepts: (name) => BRANCH_NAME.test(name),
      open: async (name, place) => (await import('./branch.ts')).openBranch(name, place),
    },
  }),
)

/** The allowed forms of `state`, as a list for a message: `none, file:<path>, branch:<name>`. */
export const STATE_FORMS = ['none', ...[...STORES.values()].map(({ form }) => form)].join(', ')

/** The store of earlier runs' keys that the user chose. */
export interface StateChoice {
  /** `none`, or a kind of store. */
  readonly kind: string
  /** The part after the colon: a path, or the name of a branch. */
  readonly value: string
}

/** Parses the input or the setting `state`; `undefined` if it has none of the `STATE_FORMS`. */
export function parseState(text: string): StateChoice | undefined {
  const trimmed = text.trim()
  if (trimmed === 'none' || trimmed === '') return { kind: 'none', value: '' }
  const [, kind = '', value = ''] = /^([a-z]+):\s*(.*)$/.exec(trimmed) ?? []
  return STORES.get(kind)?.accepts(value) ? { kind, value } : undefined
}

/** Opens a store without reading it; `undefined` for `none`. */
export async function openState(
  { kind, value }: StateChoice,
  place: StorePlace,
): Promise<StateBackend | undefined> {
  return STORES.get(kind)?.open(value, place)
}

interface StoreQuestion {
  readonly hasStore: boolean
  /** Whether the trigger gets its items from a poll. */
  readonly isPolled: boolean
  /**
   * Whether the schedule is at least as rare as a numeric `every`, so that the last success does
   * not matter.
   */
  readonly isEveryExact: boolean
}

/**
 * Which options need a store: those that the user set explicitly and that have a meaning only
 * across runs. A default that would use a store works without one.
 */
export function storeNeeds(
  { config }: Pick<BoundTrigger, 'config'>,
  { hasStore, isPolled, isEveryExact }: StoreQuestion,
): {
  readonly option: 'shouldDeduplicate' | 'skipFirst' | 'limit' | 'every'
  readonly needs: 'a store' | 'shouldDeduplicate'
}[] {
  const { shouldDeduplicate, skipFirst, limit, sort, sortScript, every, force } = config
  // `limit` may cut off items before items that are passed on. Those cannot be acknowledged then,
  // and come again.
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
