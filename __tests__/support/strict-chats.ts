import { fromMarkdown } from 'mdast-util-from-markdown'
import { gfmFromMarkdown } from 'mdast-util-gfm'
import { gfm } from 'micromark-extension-gfm'
import { isObject } from '../../src/wire/json.ts'
import { type ChatCall, ChatStandIn } from './chats.ts'

type Root = ReturnType<typeof fromMarkdown>
type Nodes = Root | Root['children'][number]

/** Stand-ins that refuse what the real services refuse, and record what they show. */
export interface StrictChat {
  readonly server: ChatStandIn
  /** The text that a reader sees of each accepted message, or the content of its file. */
  readonly shown: string[]
}

type Body = Readonly<Record<string, unknown>>

/** https://core.telegram.org/bots/api#html-style: unknown tags, wrong nesting and lonely `<` are refused. */
export function telegramShows(body: Body): string {
  const rich = isObject(body.rich_message) ? body.rich_message.markdown : undefined
  if (typeof rich === 'string') return markdownShows(rich, /^<\/?code>$/)
  const text = String(body.text ?? body.caption ?? '')
  const shown = body.parse_mode === 'HTML' ? htmlShows(text) : text
  if (shown.trim() === '') throw new Error('message text is empty')
  if (shown.length > (body.caption === undefined ? 4096 : 1024)) throw new Error('too long')
  return shown
}

const TAG = /^<(\/?)(b|i|s|a|code|pre|blockquote)( href="[^"<>]*"| class="language-[^"<>]*")?>/

function htmlShows(html: string): string {
  const open: string[] = []
  let shown = ''
  for (let rest = html; rest !== ''; ) {
    const [tag = '', slash, name = ''] = TAG.exec(rest) ?? []
    const [piece = ''] = /^(?:&(?:lt|gt|amp|quot);|[^<>&])+/.exec(rest) ?? []
    if (tag === '' && piece === '') throw new Error(`can't parse entities at ${rest.slice(0, 20)}`)
    if (slash === '') {
      if (name === 'blockquote' && open.includes(name)) throw new Error('nested blockquote')
      open.push(name)
    } else if (tag !== '' && open.pop() !== name) throw new Error(`unexpected end tag ${name}`)
    shown += decoded(piece)
    rest = rest.slice(tag.length + piece.length)
  }
  if (open.length > 0) throw new Error(`can't find end tag of ${open.at(-1)}`)
  return shown
}

/** https://docs.slack.dev/messaging/formatting-message-text */
export function slackShows(body: Body): { readonly text: string; readonly block: string } {
  const text = String(body.text ?? '')
  if (text.trim() === '') throw new Error('no_text')
  if (text.length > 40_000) throw new Error('msg_too_long')
  const blocks = Array.isArray(body.blocks) ? body.blocks.filter(isObject) : []
  const markdown = blocks.filter(({ type }) => type === 'markdown').map((one) => String(one.text))
  if (blocks.length > 50 || markdown.join('').length > 12_000) throw new Error('invalid_blocks')
  return {
    text: mrkdwnShows(text),
    block: markdown.map((one) => markdownShows(one, /^$/)).join('\n'),
  }
}

function mrkdwnShows(text: string): string {
  const shown = text
    .replace(/^>+/gm, '')
    .replace(
      /<https?:\/\/[^\s<>|]+(?:\|([^<>\n|]*))?>/g,
      (link, label) => label ?? link.slice(1, -1),
    )
  if (/[<>]|&(?!lt;|gt;|amp;)/.test(shown)) throw new Error(`unescaped: ${shown.slice(0, 200)}`)
  return decoded(shown).replaceAll('¦', '|')
}

/** https://docs.discord.com/developers/resources/webhook#execute-webhook */
export function discordShows(body: Body): string {
  const content = String(body.content ?? '')
  if (content.trim() === '' || content.length > 2_000) throw new Error('50035')
  const mentions = isObject(body.allowed_mentions) ? body.allowed_mentions.parse : undefined
  if (!Array.isArray(mentions) || mentions.length > 0) throw new Error('it would notify people')
  return content
}

/** The text that a parser without extensions for Asian languages reads. HTML is refused, unless it is `allowed`. */
function markdownShows(markdown: string, allowed: RegExp): string {
  const root = fromMarkdown(markdown, {
    extensions: [gfm({ singleTilde: false })],
    mdastExtensions: [gfmFromMarkdown()],
  })
  return [...leaves(root)].filter((leaf) => !allowed.test(leaf)).join(' ')
}

/** The text content of each node, in order. HTML throws. */
function* leaves(node: Nodes): Generator<string> {
  if (node.type === 'html' && !/^<\/?code>$/.test(node.value)) {
    throw new Error(`HTML: ${node.value.slice(0, 60)}`)
  }
  if ('value' in node) yield node.value
  if ('alt' in node && node.alt) yield node.alt
  if ('children' in node) for (const child of node.children) yield* leaves(child)
}

function decoded(text: string): string {
  return text.replace(/&(lt|gt|amp|quot);/g, (_, name: string) => {
    return { lt: '<', gt: '>', amp: '&', quot: '"' }[name] ?? ''
  })
}

function strict(
  show: (call: ChatCall) => string,
  refuse: (error: string) => object,
  ok: object,
): StrictChat {
  const shown: string[] = []
  const server = new ChatStandIn((call) => {
    try {
      shown.push(show(call))
      return { body: ok as never }
    } catch (error) {
      return { status: 400, body: refuse(String(error)) as never }
    }
  })
  return { server, shown }
}

const bodyOf = (call: ChatCall): Body => (isObject(call.body) ? call.body : {})

export const strictTelegram = (): StrictChat =>
  strict(
    (call) => telegramShows(bodyOf(call)),
    (description) => ({ ok: false, error_code: 400, description }),
    { ok: true, result: { message_id: 7 } },
  )

export const strictSlack = (): StrictChat =>
  strict(
    (call) => {
      const { text, block } = slackShows(bodyOf(call))
      return block || text
    },
    (error) => ({ ok: false, error }),
    { ok: true, ts: '1.1' },
  )

export const strictDiscord = (): StrictChat =>
  strict(
    (call) => {
      const { payload_json: json, 'files[0]': file } = bodyOf(call)
      if (typeof json !== 'string') return discordShows(bodyOf(call))
      discordShows(JSON.parse(json))
      return String(file)
    },
    (message) => ({ code: 50_035, message }),
    { id: '1001' },
  )

/**
 * The first word of a Markdown text that a reader does not see; `undefined` if all are shown in order. Marks and
 * escapes do not count.
 */
export function firstLostWord(source: string, shown: readonly string[]): string | undefined {
  const bare = (text: string) =>
    text
      .replace(/[\s\u200b\\*_~`>|]/g, '')
      .replace(/%([2-7][0-9A-F])/g, (_, code: string) =>
        String.fromCharCode(Number.parseInt(code, 16)),
      )
      .replace(/[\s\\*_~`>|]/g, '')
  const seen = bare(shown.join(' '))
  const root = fromMarkdown(source, {
    extensions: [gfm({ singleTilde: false })],
    mdastExtensions: [gfmFromMarkdown()],
  })
  let at = 0
  for (const word of wordsOf(root)) {
    const found = seen.indexOf(bare(word), at)
    if (found < 0) return word
    at = found + bare(word).length
  }
  return undefined
}

function* wordsOf(node: Nodes): Generator<string> {
  if ('value' in node) yield* node.value.split(/\s+/)
  if ('alt' in node && node.alt) yield* node.alt.split(/\s+/)
  if ('children' in node) for (const child of node.children) yield* wordsOf(child)
}
