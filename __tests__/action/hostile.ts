/** What a runner would obey. */
export const COMMANDS = [
  '::error::x',
  '::add-mask::x',
  '::stop-commands::x',
  '##[add-mask]x',
  '##[error]x',
]
/** What begins a line, or might seem to. */
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

/** A command as the action writes it: with text whose line ends are escaped. */
const OURS =
  /^::(error|warning)( title=Hookline(,file=[^\r\n:,]*)?(,line=\d+(,endLine=\d+)?,col=\d+,endColumn=\d+)?)?::[^\r\n]+$/

/**
 * Lines that the runner would take for a command, and that are not ours. The runner splits at CR and
 * LF, and trims what .NET calls white space.
 */
export function foreignCommands(stdout: string): string[] {
  const lines = stdout.split(/\r\n|\r|\n/)
  const commands = lines.filter((line) => /^[\s\u0085]*::/.test(line) || line.includes('##['))
  return commands.filter((line) => !OURS.test(line) || line.includes('x::'))
}
