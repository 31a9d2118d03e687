import { type CurlRequest, curlLine, shellQuoted } from './curl.ts'
import type { Environment } from './settings.ts'

/** The value of a variable: literal, from another variable, or the output of a command. */
type VariableValue =
  | { readonly text: string }
  | { readonly of: string }
  | { readonly printedBy: string }

/** Writes command lines for a shell. */
export interface Shell {
  readonly name: 'posix' | 'powershell'
  /** A reference to an environment variable, outside or inside of double quotes. */
  variable(name: string): string
  /** @param variables references from `variable` in the string, which the shell must expand */
  quoted(text: string, variables?: readonly string[]): string
  request(request: CurlRequest): string
  having(variables: Readonly<Record<string, VariableValue>>, command: string): string
  /** Prompts for a secret without echo, and adds it to a file of settings. */
  keeping(variable: string, file: string): string
  /** Several commands in one line. In a POSIX shell, each runs only if the one before succeeded. */
  chained(commands: readonly string[]): string
  appending(text: string, file: string): string
  /**
   * Adds `name=value` to a file; the value is from the first output line of a command that has it
   * after a mark.
   */
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
  keeping: (variable, file) => `read -rs ${variable} && echo "${variable}=$${variable}" >> ${file}`,
  chained: (commands) => commands.join(' && '),
  appending: (text, file) => `echo ${quotedIfNeeded(text, shellQuoted)} >> ${file}`,
  picking: (mark, command, file) => `${command} 2>&1 | sed -n 's/.* ${mark} //p' >> ${file}`,
}

function posixValue(value: VariableValue): string {
  if ('of' in value) return `"$${value.of}"`
  return 'text' in value ? quotedIfNeeded(value.text, shellQuoted) : `"$(${value.printedBy})"`
}

/**
 * For Windows PowerShell 5.1 and PowerShell 7. In the former, `curl` is an alias for another
 * command, quotes are removed from arguments of programs, and `>>` writes UTF-16, so the lines use
 * none of them.
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
  keeping: (variable, file) =>
    `$env:${variable} = [Net.NetworkCredential]::new('', (Read-Host ${variable} -AsSecureString)).Password; Add-Content ${file} "${variable}=$env:${variable}"`,
  // Windows PowerShell has no `&&`.
  chained: (commands) => commands.join('; '),
  appending: (text, file) => `Add-Content ${file} ${quotedIfNeeded(text, powershellQuoted)}`,
  picking: (mark, command, file) =>
    `${command} 2>&1 | Select-String ' ${mark} (.*)' | ForEach-Object { Add-Content ${file} $_.Matches[0].Groups[1].Value }`,
}

function powershellValue(value: VariableValue): string {
  if ('of' in value) return `$env:${value.of}`
  return 'text' in value ? powershellQuoted(value.text) : value.printedBy
}

/** Quotes a string only if it contains a character that may be special in a shell. */
function quotedIfNeeded(text: string, quoted: (text: string) => string): string {
  return /^[\w./:@-]+$/.test(text) ? text : quoted(text)
}

/**
 * Quotes a string for PowerShell, which also accepts typographic quotes as quotes. Within double
 * quotes `$` and the backtick are special.
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

/** Headers that Windows PowerShell accepts only as a parameter of their own. */
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

/** Encodes a body beyond ASCII as UTF-8, because Windows PowerShell would send it as Latin-1. */
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
 * The shell that started this process. Windows does not name it: Git Bash and Cygwin set `MSYSTEM`
 * or `SHELL`, and on other systems only PowerShell sets `PSModulePath`.
 */
export function currentShell(env: Environment, platform: string): Shell {
  if (platform !== 'win32') return env.PSModulePath ? POWERSHELL : POSIX
  return env.MSYSTEM || /sh(?:\.exe)?$/.test(env.SHELL ?? '') ? POSIX : POWERSHELL
}
