import { PARAMETER } from '../../wire/path.ts'
import { counted } from '../../wire/printable.ts'
import type { SendResponse } from './response.ts'

/** Period of a batch in seconds: at most, and without a further event (debounce). */
const PERIOD = { most: 60, debounce: 3 }

/** The URL with a batch period, unless the URL has its own. */
export function withBatch(url: URL): URL {
  if (batchSeconds(url) !== undefined) return url
  const batched = new URL(url)
  batched.searchParams.set(PARAMETER.batch, String(PERIOD.most))
  batched.searchParams.set(PARAMETER.quiet, String(PERIOD.debounce))
  return batched
}

/** The batch period of a URL in seconds; `undefined` without one. */
export function batchSeconds({ searchParams }: URL): number | undefined {
  const text = searchParams.get(PARAMETER.batch)
  return text === null ? undefined : Number(text)
}

/** A report of several responses: one line for each batch, single event and refusal. */
export function batchLines(
  responses: readonly Pick<
    SendResponse,
    'accepted' | 'status' | 'batch' | 'message' | 'hint' | 'body'
  >[],
): string[] {
  const batches = new Map<string, number>()
  for (const { batch } of responses) {
    if (batch !== null) batches.set(batch, (batches.get(batch) ?? 0) + 1)
  }
  const alone = responses.filter(({ accepted, batch }) => accepted && batch === null).length
  const refused = responses.filter(({ accepted }) => !accepted)
  return [
    `${counted(responses.length, 'event')} sent`,
    ...[...batches].map(([id, count]) => `batch ${id}  ${counted(count, 'event')}`),
    ...(alone === 0 ? [] : [`${counted(alone, 'event')} by itself: ${ALONE}`]),
    ...refused.map(({ status, message, hint, body }) =>
      message === null ? `${status}  ${body}` : `${status}  ${message}: ${hint ?? ''}`,
    ),
  ]
}

const ALONE = 'the relay starts a batch only after GitHub has accepted the credential once'
