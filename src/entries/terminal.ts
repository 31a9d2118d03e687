import { styleText } from 'node:util'

type Style = Parameters<typeof styleText>[0]

/** What of a stream matters here: those of a process on a terminal have more than a file or a pipe. */
export interface Screen {
  readonly isTTY?: boolean
  hasColors?(): boolean
}

/** The text in a style; as it is where nobody would see colours, or has asked for none. */
export function styled(screen: Screen, style: Style, text: string): string {
  return isColourful(screen) ? styleText(style, text) : text
}

/** https://no-color.org: any value but the empty one counts. */
function isColourful(screen: Screen): boolean {
  return !process.env.NO_COLOR && screen.isTTY === true && (screen.hasColors?.() ?? false)
}
