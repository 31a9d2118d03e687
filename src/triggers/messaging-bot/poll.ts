import type { Item } from '../../items/item.ts'
import type { Check, Polled, TriggerPorts } from '../trigger.ts'
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

/**
 * One page of updates. Only a page without a single item is passed, by asking for the next: a higher
 * offset makes the server forget what lies below it.
 */
export async function pollUpdates(
  bot: Bot,
  options: MessagingBotOptions,
  now: TriggerPorts['now'],
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
  return polled(page, [...ignored, ...missedChecks(page)])
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

function offsetAfter(page: readonly Judged[]): number | undefined {
  const last = page.at(-1)
  return last && last.id + 1
}

function polled(page: readonly Judged[], ignored: readonly Check[]): Polled {
  const firing = page.filter(({ item }) => item)
  const found = account(firing.length, ignored)
  return {
    items: page.flatMap(({ item }) => (item ? [item] : [])),
    checks: [{ option: 'updates', held: firing.length > 0, found }],
    cursorBefore(index) {
      const cut = firing[index]
      return offsetAfter(cut ? page.slice(0, page.indexOf(cut)) : page)
    },
  }
}

/** `2 new, 3 ignored (updates 2, chats 1)`: how many updates each option kept out. */
function account(items: number, ignored: readonly Check[]): string {
  const found = `${items || 'nothing'} new`
  return ignored.length > 0 ? `${found}, ${ignored.length} ignored (${counts(ignored)})` : found
}

function counts(ignored: readonly Check[]): string {
  const options = [...new Set(ignored.map(({ option }) => option))]
  const count = (name: string) => ignored.filter(({ option }) => option === name).length
  return options.map((name) => `${name} ${count(name)}`).join(', ')
}
