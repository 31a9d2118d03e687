import type { Item } from '../../items/item.ts'
import type { Check, Fits, Polled, TriggerPorts } from '../trigger.ts'
import type { Bot } from './bot-api.ts'
import { firingKinds, updateChecks } from './conditions.ts'
import type { MessagingBotOptions } from './options.ts'
import { getPage } from './page.ts'
import { type Update, updateItem } from './update.ts'

/** Pages without an item that one run passes: ten thousand ignored updates. */
const MOST_PASSED = 100

/** An update that became an item, or was ignored for a condition that it did not meet. */
type Judged = { readonly id: number } & (
  | { readonly item: Item; readonly missed?: never }
  | { readonly item?: never; readonly missed: Check }
)

export interface PollPorts extends Pick<TriggerPorts, 'now'> {
  readonly fits: Fits
}

/**
 * One page of updates. Only a page without a single item is passed, by asking for the next: a higher
 * offset makes the server forget what lies below it.
 */
export async function pollUpdates(
  bot: Bot,
  options: MessagingBotOptions,
  { now, fits }: PollPorts,
): Promise<Polled> {
  const kinds = firingKinds(options)
  const until = now() + options.wait * 1000
  const ignored: Check[] = []
  let page = judge(await getPage(bot, { kinds, wait: options.wait }), options)
  for (let passed = 0; isPassable(page) && passed < MOST_PASSED; passed++) {
    ignored.push(...missedChecks(page))
    const wait = Math.max(0, Math.floor((until - now()) / 1000))
    page = judge(await getPage(bot, { kinds, offset: offsetAfter(page), wait }), options)
  }
  const taken = fitting(page, fits)
  return polled(taken, account(page, taken, [...ignored, ...missedChecks(taken)]))
}

function judge(updates: readonly Update[], options: MessagingBotOptions): Judged[] {
  return updates.map((update) => {
    const missed = updateChecks(update, options).find((check) => !check.held)
    const { id } = update
    return missed ? { id, missed } : { id, item: updateItem(update, options.updates) }
  })
}

function isPassable(page: readonly Judged[]): boolean {
  return page.length > 0 && page.every(({ missed }) => missed)
}

function missedChecks(page: readonly Judged[]): Check[] {
  return page.flatMap(({ missed }) => (missed ? [missed] : []))
}

function items(page: readonly Judged[]): Item[] {
  return page.flatMap(({ item }) => (item ? [item] : []))
}

/** The longest beginning of a page whose items fit; the rest comes with the next run. */
function fitting(page: readonly Judged[], fits: Fits): readonly Judged[] {
  if (fits(items(page))) return page
  let taken = 0
  let tooMany = page.length
  while (tooMany - taken > 1) {
    const middle = Math.floor((taken + tooMany) / 2)
    if (fits(items(page.slice(0, middle)))) taken = middle
    else tooMany = middle
  }
  return page.slice(0, taken)
}

function offsetAfter(page: readonly Judged[]): number | undefined {
  const last = page.at(-1)
  return last && last.id + 1
}

function polled(page: readonly Judged[], found: string): Polled {
  const firing = page.filter(({ item }) => item)
  return {
    items: items(page),
    checks: [{ option: 'updates', held: firing.length > 0, found }],
    cursorBefore(index) {
      const cut = firing[index]
      return offsetAfter(cut ? page.slice(0, page.indexOf(cut)) : page)
    },
  }
}

/** `2 new, 3 ignored (updates 2, chats 1)`: how many updates each option kept out. */
function account(
  page: readonly Judged[],
  taken: readonly Judged[],
  ignored: readonly Check[],
): string {
  const left = items(page).length - items(taken).length
  return [
    `${items(taken).length || 'nothing'} new`,
    ...(ignored.length > 0 ? [`${ignored.length} ignored (${counts(ignored)})`] : []),
    ...(left > 0 ? [`${left} left for the next run, as outputs have a size limit`] : []),
  ].join(', ')
}

function counts(ignored: readonly Check[]): string {
  const options = [...new Set(ignored.map(({ option }) => option))]
  const count = (name: string) => ignored.filter(({ option }) => option === name).length
  return options.map((name) => `${name} ${count(name)}`).join(', ')
}
