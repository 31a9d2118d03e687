export interface CurlRequest {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** Empty if there is none. */
  readonly body: string
  /** `base64` if the body is binary. */
  readonly encoding?: 'text' | 'base64'
  /** Variables that the shell replaces in the strings: `$HOOKLINE_GITHUB_TOKEN`. */
  readonly variables?: readonly string[]
}

/** A command line for a POSIX shell that sends a request. */
export function curlLine(request: CurlRequest): string {
  const { method, url, headers, body, encoding, variables } = request
  const isBinary = encoding === 'base64'
  const options = [
    ...(method === 'HEAD' ? ['--head'] : method === 'GET' && !body ? [] : ['-X', method]),
    ...Object.entries(headers).flatMap(([name, value]) => [
      '-H',
      // curl drops a header that ends with its colon, and sends `name;` as an empty header.
      shellQuoted(value === '' ? `${name};` : `${name}: ${value}`, variables),
    ]),
    // After `-d`, curl reads a file if the body begins with `@`.
    ...(isBinary || !body ? [] : [body.startsWith('@') ? '--data-raw' : '-d', shellQuoted(body)]),
    ...(isBinary ? ['--data-binary', '@-'] : []),
  ]
  const line = ['curl', ...options, shellQuoted(url, variables)].join(' ')
  return isBinary ? `printf %s ${shellQuoted(body)} | base64 -d | ${line}` : line
}

/**
 * Quotes a string for a POSIX shell. Within single quotes only the quote itself is special. Around
 * a variable it uses double quotes, which contain nothing else that is special.
 */
export function shellQuoted(text: string, variables: readonly string[] = []): string {
  const variable = variables.find((each) => text.includes(each))
  if (variable === undefined) return `'${text.replaceAll("'", "'\\''")}'`
  const parts = text.split(variable).map((part) => part.replaceAll(/["\\$`]/g, '\\$&'))
  return `"${parts.join(variable)}"`
}
