/** A request as `curl` sends it. */
export interface CurlRequest {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** Empty for none. */
  readonly body: string
  /** `base64` for bytes that are not text. */
  readonly encoding?: 'text' | 'base64'
  /** What the shell is to fill in, as it stands in the texts: `$HOOKLINE_GITHUB_TOKEN`. */
  readonly variables?: readonly string[]
}

/** A line for a POSIX shell that sends a request. */
export function curlLine(request: CurlRequest): string {
  const { method, url, headers, body, encoding, variables } = request
  const isBinary = encoding === 'base64'
  const options = [
    ...(method === 'HEAD' ? ['--head'] : method === 'GET' && !body ? [] : ['-X', method]),
    ...Object.entries(headers).flatMap(([name, value]) => [
      '-H',
      // With a colon and nothing behind it, curl would leave the header out.
      shellQuoted(value === '' ? `${name};` : `${name}: ${value}`, variables),
    ]),
    // After -d, an @ would name a file.
    ...(isBinary || !body ? [] : [body.startsWith('@') ? '--data-raw' : '-d', shellQuoted(body)]),
    ...(isBinary ? ['--data-binary', '@-'] : []),
  ]
  const line = ['curl', ...options, shellQuoted(url, variables)].join(' ')
  return isBinary ? `printf %s ${shellQuoted(body)} | base64 -d | ${line}` : line
}

/**
 * For a POSIX shell: nothing is special within single quotes but the quote itself. Around a variable
 * stand double quotes, in which nothing else is left special.
 */
export function shellQuoted(text: string, variables: readonly string[] = []): string {
  const variable = variables.find((each) => text.includes(each))
  if (variable === undefined) return `'${text.replaceAll("'", "'\\''")}'`
  const parts = text.split(variable).map((part) => part.replaceAll(/["\\$`]/g, '\\$&'))
  return `"${parts.join(variable)}"`
}
