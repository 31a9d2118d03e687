import type { Decision, Tally } from '../../engine/result.ts'
import type { Check } from '../../triggers/trigger.ts'
import { counted, cut, escapeHtml, paragraph, table, triggerName } from './html.ts'
import { SUMMARY } from './limits.ts'

/** Each declared trigger: fired or not, by which conditions, and what `config` did to its items. */
export function decisionTable(decisions: readonly Decision[]): string[] {
  const shown = fewest(decisions)
  const rows = shown.map((decision) => [
    triggerName(decision),
    decision.fired ? 'fired' : 'skipped',
    why(decision).join('<br>'),
  ])
  const left = decisions.length - shown.length
  return [
    ...table(['Trigger', 'Outcome', 'Why'], rows),
    ...(left > 0 ? [paragraph(`${counted(left, 'more trigger')}, not shown.`)] : []),
  ]
}

/** Where there are too many, what fired comes first. */
function fewest(decisions: readonly Decision[]): readonly Decision[] {
  if (decisions.length <= SUMMARY.decisions) return decisions
  const [fired, others] = [true, false].map((is) => decisions.filter(({ fired }) => fired === is))
  return [...(fired ?? []), ...(others ?? [])].slice(0, SUMMARY.decisions)
}

function why({ reason, checks, tally }: Decision): string[] {
  if (checks.length === 0 && !tally) return [text(reason, SUMMARY.why)]
  return [
    ...checks.slice(0, SUMMARY.checks).map(checkLine),
    ...(tally && (tally.found !== 1 || tally.account.length > 0) ? [tallyLine(tally)] : []),
  ]
}

function checkLine({ option, held, found }: Check): string {
  const line = held ? `✓ ${option}: ${found}` : `✗ ${option} ${found}`
  return text(line, SUMMARY.found)
}

/** `5 items found, 2 handed on: filter dropped 3`. */
function tallyLine({ found, handedOn, account }: Tally): string {
  const counts = `${counted(found, 'item')} found, ${handedOn} handed on`
  return text(account.length > 0 ? `${counts}: ${account.join('; ')}` : counts, SUMMARY.why)
}

function text(content: string, most: number): string {
  return escapeHtml(cut(content, most))
}
