/** A request as `curl` sends it. */
interface CurlRequest {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** Empty for none. */
  readonly body: string
  /** `base64` for bytes that are no text. */
  readonly encoding?: 'text' | 'base64'
}

/** A line for a POSIX shell that sends a request. */
export function curlLine({ method, url, headers, body, encoding }: CurlRequest): string {
  const isBinary = encoding === 'base64'
  const options = [
    ...(method === 'HEAD' ? ['--head'] : method === 'GET' && !body ? [] : ['-X', method]),
    ...Object.entries(headers).flatMap(([name, value]) => [
      '-H',
      // With a colon and nothing behind it, curl would leave the header out.
      shellQuoted(value === '' ? `${name};` : `${name}: ${value}`),
    ]),
    // After -d, an @ would name a file.
    ...(isBinary || !body ? [] : [body.startsWith('@') ? '--data-raw' : '-d', shellQuoted(body)]),
    ...(isBinary ? ['--data-binary', '@-'] : []),
  ]
  const line = ['curl', ...options, shellQuoted(url)].join(' ')
  return isBinary ? `printf %s ${shellQuoted(body)} | base64 -d | ${line}` : line
}

/** For a POSIX shell: nothing is special within single quotes but the quote itself. */
export function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
