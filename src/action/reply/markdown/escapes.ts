/** A part of a text that looks like a host name; the last group is its top-level domain. */
const HOST = /(?:[\p{L}\p{N}-]+\.)+(\p{L}[\p{L}\p{N}-]+)/gu

/** Endings of files that are no top-level domains: `Node.js` is no address. */
const FILE_ENDING =
  /^(?:js|ts|tsx|jsx|mjs|cjs|json|ya?ml|toml|txt|html?|css|xml|csv|log|lock|png|jpe?g|gif|svg|pdf)$/i

/**
 * The host of a link whose text looks like another address, so that the reader sees where
 * `[github.com](https://example.com)` leads; `undefined` for any other link.
 */
export function misleadingHost(url: string, text: string): string | undefined {
  if (!URL.canParse(url)) return undefined
  const { hostname } = new URL(url)
  const bare = (host: string) => host.toLowerCase().replace(/^www\./, '')
  const shown = text.normalize('NFKC').replaceAll('\u3002', '.')
  const hosts = [...shown.matchAll(HOST)].filter(([, ending = '']) => !FILE_ENDING.test(ending))
  return hosts.some(([host]) => bare(host) !== bare(hostname)) ? hostname : undefined
}

/** Changes a text and its addresses separately, because an escaped mark would break an address. */
export function outsideAddresses(
  text: string,
  change: (piece: string) => string,
  ofAddress: (address: string) => string,
): string {
  return text
    .split(/(https?:\/\/[^\s<>]+)/)
    .map((piece, at) => (at % 2 === 1 ? ofAddress(piece) : change(piece)))
    .join('')
}

/** Percent-encodes the characters of an address that the chat would read as markup. */
export function percentEncoded(address: string, marks: RegExp): string {
  const code = (mark: string) => mark.charCodeAt(0).toString(16).toUpperCase()
  return address.replace(marks, (mark) => `%${code(mark)}`)
}

/** Code without three backticks in a row, because they would end the block. */
export function withoutFences(code: string): string {
  return code.replace(/`(?=``)/g, '`\u200b')
}

/** Code within a line, in more backticks than it contains. */
export function inBackticks(code: string): string {
  const runs = [...code.matchAll(/`+/g)].map(([run]) => run.length)
  if (runs.length === 0) return `\`${code}\``
  const longest = Math.max(...runs)
  const marks = '`'.repeat(longest + 1)
  return `${marks} ${code} ${marks}`
}

/**
 * Escapes the characters that are markup in Markdown, or at the start of its lines.
 *
 * @param entities replaces `<`, `>` and `&` outside and inside of addresses
 */
export function escapeMarkdown(
  text: string,
  entities: (text: string) => string,
  marks = /[\\*_~`|[\]]/g,
): string {
  const escaped = (piece: string) => entities(piece.replace(marks, '\\$&'))
  return outsideAddresses(text, escaped, (url) => markdownAddress(url, entities)).replace(
    /^(\s*)(#{1,6}(?=\s|$)|-+|\++|=+|\d+(?=[.)](?:\s|$)))/gm,
    (_, space: string, mark: string) =>
      /\d/.test(mark) ? `${space}${mark}\\` : `${space}\\${mark}`,
  )
}

/**
 * `&`, `<` and `>` as entities, which Telegram, Markdown and Slack read.
 * Source: https://docs.slack.dev/messaging/formatting-message-text#escaping
 */
export function withEntities(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

/** An address that cannot end a link, a cell or code. */
export function markdownAddress(url: string, entities: (text: string) => string): string {
  return entities(percentEncoded(url, /[\\`[\]()*|"]/g))
}
