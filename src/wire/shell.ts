import { type CurlRequest, curlLine, shellQuoted } from './curl.ts'

/** What a variable is set to: as it stands, as another variable has it, or as a command prints it. */
export type Value =
  | { readonly text: string }
  | { readonly of: string }
  | { readonly printedBy: string }

/** How lines are written that are to be pasted into a shell. */
export interface Shell {
  readonly name: 'posix' | 'powershell'
  /** Reads a variable of the environment, in a line or within its quotes. */
  variable(name: string): string
  /** @param variables what the shell is to fill in, as `variable` writes it */
  quoted(text: string, variables?: readonly string[]): string
  /** Sends a request. */
  request(request: CurlRequest): string
  /** A command for which variables are set. */
  having(variables: Readonly<Record<string, Value>>, command: string): string
  /** A command that does not see a variable. */
  hiding(variable: string, command: string): string
  /** Waits for a secret, which is not shown, and gives it to the commands that follow. */
  asking(variable: string): string
  /** The same, and keeps it in a file of settings; the commands that follow need not see it. */
  keeping(variable: string, file: string): string
  /** One line of several commands; each runs once the one before is done, in a POSIX shell only if it succeeded. */
  chained(commands: readonly string[]): string
  /** Adds a line to a file. */
  appending(text: string, file: string): string
  /** Adds `name=value` to a file, the value from the first line of a command's that has it behind a mark. */
  picking(mark: string, command: string, file: string): string
}

export const POSIX: Shell = {
  name: 'posix',
  variable: (name) => `$${name}`,
  quoted: shellQuoted,
  request: curlLine,
  having: (variables, command) =>
    [
      ...Object.entries(variables).map(([name, value]) => `${name}=${posixValue(value)}`),
      command,
    ].join(' '),
  hiding: (variable, command) => `env -u ${variable} ${command}`,
  asking: (variable) => `read -rs ${variable} && export ${variable}`,
  keeping: (variable, file) => `read -rs ${variable} && echo "${variable}=$${variable}" >> ${file}`,
  chained: (commands) => commands.join(' && '),
  appending: (text, file) => `echo ${plain(text, shellQuoted)} >> ${file}`,
  picking: (mark, command, file) => `${command} 2>&1 | sed -n 's/.* ${mark} //p' >> ${file}`,
}

function posixValue(value: Value): string {
  if ('of' in value) return `"$${value.of}"`
  return 'text' in value ? plain(value.text, shellQuoted) : `"$(${value.printedBy})"`
}

/**
 * For Windows PowerShell 5.1 as well as PowerShell 7. The former knows `curl` by another meaning, takes
 * quotes out of what it hands to a program, and writes UTF-16 with `>>`: no line relies on these.
 */
export const POWERSHELL: Shell = {
  name: 'powershell',
  variable: (name) => `$env:${name}`,
  quoted: powershellQuoted,
  request: invokeLine,
  having: (variables, command) =>
    [
      ...Object.entries(variables).map(
        ([name, value]) => `$env:${name} = ${powershellValue(value)}`,
      ),
      command,
    ].join('; '),
  hiding: (variable, command) => `$env:${variable} = $null; ${command}`,
  asking: askLine,
  keeping: (variable, file) =>
    `${askLine(variable)}; Add-Content ${file} "${variable}=$env:${variable}"`,
  // Windows PowerShell has no `&&`.
  chained: (commands) => commands.join('; '),
  appending: (text, file) => `Add-Content ${file} ${plain(text, powershellQuoted)}`,
  picking: (mark, command, file) =>
    `${command} 2>&1 | Select-String ' ${mark} (.*)' | ForEach-Object { Add-Content ${file} $_.Matches[0].Groups[1].Value }`,
}

function powershellValue(value: Value): string {
  if ('of' in value) return `$env:${value.of}`
  return 'text' in value ? powershellQuoted(value.text) : value.printedBy
}

function askLine(variable: string): string {
  return `$env:${variable} = [Net.NetworkCredential]::new('', (Read-Host ${variable} -AsSecureString)).Password`
}

/** A word in which no shell sees anything special stands for itself. */
function plain(text: string, quoted: (text: string) => string): string {
  return /^[\w./:@-]+$/.test(text) ? text : quoted(text)
}

/**
 * PowerShell takes typographic quotes for quotes, too. Within double ones `$` and the backtick are special.
 *
 * https://learn.microsoft.com/powershell/module/microsoft.powershell.core/about/about_quoting_rules
 */
function powershellQuoted(text: string, variables: readonly string[] = []): string {
  const within = variables.filter((each) => text.includes(each))
  if (within.length === 0) return `'${text.replaceAll(/['\u2018-\u201b]/g, '$&$&')}'`
  const filled = within.reduce(
    (parts: readonly string[], variable) =>
      parts.flatMap((part) =>
        within.includes(part)
          ? part
          : part.split(variable).flatMap((rest, at) => (at === 0 ? rest : [variable, rest])),
      ),
    [text],
  )
  const escaped = filled.map((part) =>
    within.includes(part) ? part : part.replaceAll(/["\u201c-\u201e$`]/g, '`$&'),
  )
  return `"${escaped.join('')}"`
}

/** Headers that Windows PowerShell takes by a parameter of their own alone. */
const PARAMETERS: ReadonlyMap<string, string> = new Map([
  ['content-type', '-ContentType'],
  ['user-agent', '-UserAgent'],
])

function invokeLine({ method, url, headers, body, encoding, variables }: CurlRequest): string {
  const own = Object.entries(headers).flatMap(([name, value]) => {
    const parameter = PARAMETERS.get(name.toLowerCase())
    return parameter ? [`${parameter} ${powershellQuoted(value, variables)}`] : []
  })
  const others = Object.entries(headers)
    .filter(([name]) => !PARAMETERS.has(name.toLowerCase()))
    .map(([name, value]) => `${powershellQuoted(name)} = ${powershellQuoted(value, variables)}`)
  return [
    'Invoke-RestMethod',
    ...(method === 'GET' ? [] : [`-Method ${method}`]),
    `-Uri ${powershellQuoted(url, variables)}`,
    ...(others.length > 0 ? [`-Headers @{ ${others.join('; ')} }`] : []),
    ...own,
    ...(body ? [`-Body ${bodyText(body, encoding, variables)}`] : []),
  ].join(' ')
}

/** Text beyond ASCII would be sent as Latin-1 by Windows PowerShell. */
function bodyText(
  body: string,
  encoding: CurlRequest['encoding'],
  variables: readonly string[] | undefined,
): string {
  const text = powershellQuoted(body, variables)
  if (encoding === 'base64') return `([Convert]::FromBase64String(${text}))`
  return /^[\x20-\x7e\s]*$/.test(body) ? text : `([Text.Encoding]::UTF8.GetBytes(${text}))`
}

/**
 * The shell that a process was started from. Windows names it nowhere: who is in Git Bash or Cygwin is
 * told by `MSYSTEM` or `SHELL`, and elsewhere only PowerShell sets `PSModulePath`.
 */
export function shellOf(
  env: Readonly<Record<string, string | undefined>>,
  platform: string,
): Shell {
  if (platform !== 'win32') return env.PSModulePath ? POWERSHELL : POSIX
  return env.MSYSTEM || /sh(?:\.exe)?$/.test(env.SHELL ?? '') ? POSIX : POWERSHELL
}
