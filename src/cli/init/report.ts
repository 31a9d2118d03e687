import { shellHere } from '../terminal.ts'
import type { NewFile } from './kinds.ts'
import { indented } from './kinds.ts'
import type { NextSteps } from './next-steps.ts'

/** The files, each below its path. */
export function filesText(files: readonly NewFile[]): string {
  return files.map(({ path, text }) => `${path}\n\n${indented(text, 2)}\n`).join('\n')
}

/** The written files and the next steps, the shortest way first. */
export function reportText(files: readonly NewFile[], dryRun: boolean, steps: NextSteps): string {
  const paths = files.map(({ path }) => path).join(', ')
  if (dryRun) return `Nothing was written. Without --dry-run, init writes ${paths}`
  const written = `Wrote ${paths}\n`
  return steps.url === null
    ? [
        written,
        section('Try it on this machine, then write to the bot (the token is not shown):', [
          ...steps.prepare,
          ...steps.tryOut,
        ]),
        section('Store the repository secrets:', steps.secrets),
        section('Run it from the default branch:', steps.publish),
      ].join('')
    : [
        written,
        section('Commit and push it to the default branch:', steps.publish),
        section('Get a public URL, and follow each request to its run:', steps.connect),
        section('Store the repository secrets:', steps.secrets),
        manualText(steps),
      ].join('')
}

/** The way without `connect`: on this machine, or with your own relay. */
function manualText(steps: NextSteps): string {
  const { prepare, tryOut, token, tokenBox, relay, doctor, missing, curl, sealedUrl } = steps
  const shell = shellHere()
  // Without a token of its own, the relay forwards the token of the request.
  const credential =
    shell.name === 'posix'
      ? 'export HOOKLINE_CREDENTIAL="$HOOKLINE_GITHUB_TOKEN"'
      : '$env:HOOKLINE_CREDENTIAL = $env:HOOKLINE_GITHUB_TOKEN'
  const [serve = '', ...fire] = tryOut
  const replace = missing.length === 0 ? '' : `. Insert ${missing.join(' and ')}`
  return [
    section('Or test it on this machine. First write its secrets into .env:', prepare),
    section(prepare.length > 0 ? 'In another terminal:' : 'Or test it on this machine:', [serve]),
    section(prepare.length > 0 ? 'In this terminal:' : 'In another terminal:', fire),
    section('Or run your own relay:', relay),
    section(`Create a token ("${tokenBox}") at ${token.join(' ')}, and check the setup:`, [
      shell.asking('HOOKLINE_GITHUB_TOKEN'),
      ...doctor,
    ]),
    curl === null
      ? section(`Print the webhook URL${replace}:`, [credential, ...sealedUrl])
      : section(`Call the webhook URL${replace}:`, [credential, curl]),
  ].join('')
}

function section(title: string, lines: readonly string[]): string {
  return lines.length === 0 ? '' : `\n${title}\n${indented(lines.join('\n'), 2)}\n`
}
