import { withToken } from '../../wire/path.ts'

/** What a command prints: as text, or the other fields as JSON. */
export interface Described {
  readonly text: string
  readonly url: string
  readonly [field: string]: unknown
}

/** Stands for the token in what is printed; a shell puts it in. */
export const TOKEN_VARIABLE = '$HOOKLINE_TOKEN'

/** A webhook URL, and a curl line to try it with, which keeps the token out of the URL. */
export function describeWebhook(bare: string): Described {
  const url = withToken(bare, TOKEN_VARIABLE)
  const curl = [
    `curl -X POST "${bare}"`,
    `-H "X-Platform-Authorization: Bearer ${TOKEN_VARIABLE}"`,
    `-H "Content-Type: application/json" -d '{"hello":"world"}'`,
  ].join(' ')
  return { text: lines('Webhook URL', url, 'Try it', curl), url, curl }
}

/** Headings with what stands under them, at the margin, so that it can be pasted into a shell. */
export function lines(...parts: string[]): string {
  return parts.map((part, at) => (at % 2 === 0 ? `# ${part}` : `${part}\n`)).join('\n')
}
