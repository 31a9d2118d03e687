/** Commands that a runner executes. */
export const COMMANDS = [
  '::error::x',
  '::add-mask::x',
  '::stop-commands::x',
  '##[add-mask]x',
  '##[error]x',
]
/** Characters that begin a line, or may seem to. */
export const BREAKS = [
  '\n',
  '\r\n',
  '\r',
  '\u2028',
  '\u2029',
  '\u0085',
  '\n\t ',
  '\n\u0085',
  '%0A',
  '\0',
]
export const HOSTILE = BREAKS.flatMap((end) =>
  COMMANDS.map((command) => `a${end}${command}${end}b`),
)
export const ALL_HOSTILE = HOSTILE.join('')

/** A command of the action, in which line ends are escaped. */
const OURS =
  /^::(?:notice::no trigger fired: |(error|warning)( title=Hookline(,file=[^\r\n:,]*)?(,line=\d+(,endLine=\d+)?,col=\d+,endColumn=\d+)?)?::)[^\r\n]+$/

/**
 * Lines that the runner would execute as a command, and that are not the action's own. The runner
 * splits at CR and LF, and trims the white space of .NET.
 */
export function foreignCommands(stdout: string): string[] {
  const lines = stdout.split(/\r\n|\r|\n/)
  const commands = lines.filter((line) => /^[\s\u0085]*::/.test(line) || line.includes('##['))
  return commands.filter((line) => !OURS.test(line) || line.includes('x::'))
}
