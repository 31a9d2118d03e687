import { readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { parse } from 'yaml'
import { type Http, HttpFailure } from '../../../src/wire/http.ts'
import type { Json } from '../../../src/wire/json.ts'
import { dispatched, fired, replyWith } from '../../support/chats.ts'
import { BOT_TOKEN } from '../../support/telegram.ts'

/** A response of the service; a string breaks the connection. */
type Answer =
  | string
  | {
      readonly status?: number
      readonly body?: Json
      readonly headers?: Readonly<Record<string, string>>
    }

/** An item, the inputs, the responses of its service, and everything that the reply does with them. */
interface Exchange {
  readonly name: string
  readonly trigger: string
  readonly item: Json
  readonly inputs?: Readonly<Record<string, string>>
  readonly files?: Readonly<Record<string, string>>
  /** The request of the event that started the run; a form if `form` is true. */
  readonly request?: Json
  readonly form?: boolean
  /** The event itself, if no request started the run. */
  readonly event?: Json
  readonly answers?: readonly Answer[]
  /** Each call as method, address and body, and the result of the step. A zero-width space is written as ⁞. */
  readonly done: Readonly<Record<string, unknown>>
}

const EXCHANGES: readonly Exchange[] = parse(
  readFileSync(new URL('calls.yml', import.meta.url), 'utf8'),
)

const TOKENS: Readonly<Record<string, string>> = {
  messaging_bot: BOT_TOKEN,
  telegram_bot: BOT_TOKEN,
  webhook: 'the-token',
}

const GITHUB = { repository: 'octo/shop', 'github-api-url': 'https://api.github.com' }

async function done(exchange: Exchange): Promise<Exchange['done']> {
  const { trigger, item, inputs, files = {}, answers = [], request, form, event } = exchange
  const calls: string[] = []
  const left = [...answers]
  const http: Http = async ({ method, url, headers, body = '' }) => {
    const sent = typeof body === 'string' ? body : new TextDecoder().decode(body)
    const [boundary] = /-+formdata-\w+-\d+/.exec(sent) ?? []
    const told = boundary === undefined ? sent : sent.replaceAll(boundary, '--')
    const credential = headers?.authorization ? ` (${headers.authorization})` : ''
    calls.push(
      `${method} ${url.replace(BOT_TOKEN, '<token>')}${credential} ${told}`
        .trim()
        .replaceAll('\r', '')
        .replaceAll('\u200b', '⁞'),
    )
    const answer: Answer = left.shift() ?? { body: { ok: true } }
    if (typeof answer === 'string') throw new HttpFailure('connection', answer)
    const { status = 200, body: content = '', headers: more = {} } = answer
    const text = typeof content === 'string' ? content : JSON.stringify(content)
    return { status, headers: more, text }
  }
  const fields = form ? new URLSearchParams(request as Record<string, string>).toString() : ''
  const started =
    request === undefined
      ? event
      : form
        ? dispatched(trigger, fields, 'application/x-www-form-urlencoded')
        : dispatched(trigger, JSON.stringify(request))
  const token = TOKENS[trigger] ?? ''
  const { id, masked, warnings, notices, slept } = await replyWith(
    { to: fired(trigger, item), text: 'done', token, ...GITHUB, ...inputs },
    { http, files, ...(started !== undefined && { event: started }) },
  )
  const unexpected = masked.filter((one) => one !== token)
  return {
    ...(calls.length > 0 && { calls }),
    ...(id !== '' && { id }),
    ...(unexpected.length > 0 && { masked: unexpected }),
    ...(warnings.length > 0 && { warning: warnings.join('\n') }),
    ...(notices && { notices }),
    ...(slept.length > 0 && { slept }),
  }
}

test.each(EXCHANGES)('$trigger: $name', async (exchange) => {
  expect(await done(exchange)).toEqual(exchange.done)
})
