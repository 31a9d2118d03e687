/** The media type without its parameters, in lower case: `application/json`. */
export function mediaType(contentType: string): string {
  // A proxy joins two headers of the same name with a comma.
  const [type = ''] = contentType.split(/[;,]/, 1)
  return type.trim().toLowerCase()
}

/** The labels of the charset that a content type declares; none if it declares none. */
export function declaredCharsets(contentType: string): string[] {
  const label = headerParameters(contentType).get('charset') ?? ''
  const [name = ''] = label.replaceAll("'", '').split(/[\s,;]/)
  return name === '' ? [] : [name]
}

/**
 * The parameters of a header such as `content-type`, by name in lower case; the first one of a name
 * counts. Values may be quoted, or not: `name=kind; filename="a\"b.txt"`.
 */
export function headerParameters(header: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  let at = endOf(header, 0)
  while (at < header.length) {
    const start = at + 1
    const end = endOf(header, start)
    // A part of the header, so that the time stays linear in a header without `=`.
    const length = header.slice(start, end).indexOf('=')
    if (length < 0) {
      at = end
      continue
    }
    const equals = start + length
    const name = header.slice(start, equals).trim().toLowerCase()
    let first = equals + 1
    while (isBlank(header[first])) first++
    const isQuoted = header[first] === '"'
    const close = isQuoted ? endOfQuoted(header, first) : end
    const value = isQuoted
      ? header.slice(first + 1, close).replace(/\\(["\\])/g, '$1')
      : header.slice(first, end).trim()
    if (!found.has(name)) found.set(name, value)
    at = isQuoted ? endOf(header, close) : end
  }
  return found
}

function endOf(header: string, from: number): number {
  const at = header.indexOf(';', from)
  return at < 0 ? header.length : at
}

/** The offset of the quote that ends a value: some senders do not escape the quotes within one. */
function endOfQuoted(header: string, open: number): number {
  for (let at = open + 1; at < header.length; at++) {
    if (header[at] === '\\' && /["\\]/.test(header[at + 1] ?? '')) at++
    else if (header[at] === '"' && isEnd(header, at + 1)) return at
  }
  return header.length
}

function isEnd(header: string, from: number): boolean {
  let at = from
  while (isBlank(header[at])) at++
  return at >= header.length || header[at] === ';'
}

function isBlank(character: string | undefined): boolean {
  return character === ' ' || character === '\t'
}
