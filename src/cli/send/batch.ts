import { PARAMETER } from '../../wire/path.ts'
import { counted } from '../../wire/printable.ts'

/** Of a batch that is sent from here: seconds in all, and without a further event. */
const PERIOD = { most: 60, quiet: 3 }

/** The URL with a period, where it asks for none itself. */
export function withBatch(url: URL): URL {
  if (secondsOf(url) !== undefined) return url
  const asking = new URL(url)
  asking.searchParams.set(PARAMETER.batch, String(PERIOD.most))
  asking.searchParams.set(PARAMETER.quiet, String(PERIOD.quiet))
  return asking
}

/** Seconds for which a URL asks to collect; `undefined` where it does not. */
export function secondsOf({ searchParams }: URL): number | undefined {
  const text = searchParams.get(PARAMETER.batch)
  return text === null ? undefined : Number(text)
}

/** What a relay made of one event. */
interface Answered {
  readonly accepted: boolean
  readonly status: number
  readonly batch: string | null
  readonly message: string | null
  readonly hint: string | null
  readonly body: string
}

/** What became of several events, in lines. */
export function batchLines(answers: readonly Answered[]): string[] {
  const batches = new Map<string, number>()
  for (const { batch } of answers) {
    if (batch !== null) batches.set(batch, (batches.get(batch) ?? 0) + 1)
  }
  const alone = answers.filter(({ accepted, batch }) => accepted && batch === null).length
  const refused = answers.filter(({ accepted }) => !accepted)
  return [
    `${counted(answers.length, 'event')} sent`,
    ...[...batches].map(([id, count]) => `batch ${id}  ${counted(count, 'event')}`),
    ...(alone === 0 ? [] : [`${counted(alone, 'event')} by itself: ${ALONE}`]),
    ...refused.map(({ status, message, hint, body }) =>
      message === null ? `${status}  ${body}` : `${status}  ${message}: ${hint ?? ''}`,
    ),
  ]
}

const ALONE = 'the relay keeps a credential only once GitHub has accepted it'
