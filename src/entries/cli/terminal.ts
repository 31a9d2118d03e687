import { styleText } from 'node:util'

type Style = Parameters<typeof styleText>[0]

/** What of a stream matters here: those of a process on a terminal have more than a file or a pipe. */
export interface Screen {
  readonly isTTY?: boolean
  hasColors?(): boolean
}

/** The text in a style; as it is where nobody would see colours, or has asked for none. */
export function styled(screen: Screen, style: Style, text: string): string {
  return isColourful(screen) ? styleText(style, text, { validateStream: false }) : text
}

/** https://no-color.org: any value but the empty one counts. */
function isColourful(screen: Screen): boolean {
  return !process.env.NO_COLOR && screen.isTTY === true && (screen.hasColors?.() ?? false)
}

/** Control characters of what came from elsewhere could move the cursor or recolour the terminal. */
export function printable(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones to be replaced
  return text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029]/g, '\ufffd')
}
