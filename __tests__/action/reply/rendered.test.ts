import { readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { parse } from 'yaml'
import type { Http } from '../../../src/wire/http.ts'
import { dispatched, fired, replyWith } from '../../support/chats.ts'
import { BOT_TOKEN } from '../../support/telegram.ts'

/** A text in Markdown, and the messages that show it. A zero-width space is written as ⁞. */
interface Rendered {
  readonly text: string
  /** Whether mentions notify. */
  readonly mentions?: boolean
  /** The Markdown of a rich message; absent if an ordinary message shows all of the text. */
  readonly rich?: string
  readonly html: string
  /** The block of Markdown in Slack; absent if mrkdwn shows all of the text. */
  readonly block?: string
  readonly mrkdwn: string
  readonly discord: string
}

const RENDERED: readonly Rendered[] = parse(
  readFileSync(new URL('rendered.yml', import.meta.url), 'utf8'),
)

const INTERACTION = { id: '1', application_id: '2', type: 2, channel_id: '3' }

const OK = { ok: true, ts: '1.1', id: '1', result: { message_id: 7 } }

/** The messages in each chat: the richest one, and the ordinary one for a service that refuses the rich one. */
async function shownAs({ text, mentions = false }: Pick<Rendered, 'text' | 'mentions'>) {
  const shown: Record<string, string> = {}
  const http: Http = async ({ url, body }) => {
    const sent = JSON.parse(String(body))
    const answer = (status: number, value: unknown) => {
      return { status, headers: {}, text: JSON.stringify(value) }
    }
    if (url.endsWith('/sendRichMessage')) {
      shown.rich = sent.rich_message.markdown
      return answer(404, { ok: false, error_code: 404, description: 'Not Found' })
    }
    if (url.endsWith('/chat.postMessage') && sent.blocks) {
      shown.block = sent.blocks[0].text
      return answer(200, { ok: false, error: 'invalid_blocks' })
    }
    if (url.endsWith('/sendMessage')) shown.html = sent.text
    else if (url.endsWith('/chat.postMessage')) shown.mrkdwn = sent.text
    else shown.discord = sent.content
    return answer(200, OK)
  }
  const common = { format: 'markdown', text, 'allow-mentions': String(mentions) }
  const message = { message_id: 5, chat: { id: 1, type: 'private' } }
  const event = { kind: 'event', channel_id: 'C1', event: { ts: '1.1' } }
  const given = [
    { to: fired('messaging_bot', message), token: BOT_TOKEN },
    { to: fired('slack', event), token: 'xoxb-1' },
    { to: fired('discord', INTERACTION) },
  ]
  for (const one of given) {
    await replyWith(
      { ...common, 'fail-on-error': 'true', ...one },
      { http, event: dispatched('discord', JSON.stringify({ ...INTERACTION, token: 'a.b' })) },
    )
  }
  const readable = Object.entries(shown).map(([name, one]) => [name, one.replaceAll('\u200b', '⁞')])
  return { text, ...(mentions && { mentions }), ...Object.fromEntries(readable) }
}

test.each(RENDERED)('each chat shows $text', async (rendered) => {
  expect(await shownAs(rendered)).toEqual(rendered)
})
