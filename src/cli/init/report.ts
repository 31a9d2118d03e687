import { shellHere } from '../terminal.ts'
import type { NewFile } from './kinds.ts'
import type { NextSteps } from './next-steps.ts'

/** The files, each under its path. */
export function filesText(files: readonly NewFile[]): string {
  return files.map(({ path, text }) => `${path}\n\n${indented(text)}\n`).join('\n')
}

/** What was written, and what comes next: the shortest way first. */
export function reportText(files: readonly NewFile[], dryRun: boolean, steps: NextSteps): string {
  const paths = files.map(({ path }) => path).join(', ')
  if (dryRun) return `Nothing was written: without --dry-run it would be ${paths}`
  const written = `Wrote ${paths}\n`
  return steps.url === null
    ? [
        written,
        section('Try it here, then write to the bot; its token is typed unseen:', steps.tryOut),
        section('On GitHub, from the default branch:', steps.publish),
      ].join('')
    : [
        written,
        section('Next, on the default branch:', steps.publish),
        section('Then a public URL, and each request followed to its run:', steps.connect),
        section('Secrets of the repository, once you have them:', steps.secrets),
        byHand(steps),
      ].join('')
}

/** The same without `connect`: on this machine alone, and with a relay of one's own. */
function byHand(steps: NextSteps): string {
  const { tryOut, token, tokenBox, relay, doctor, missing, curl, sealedUrl, url } = steps
  const [serve = '', ...fire] = tryOut
  const toFillIn = missing.length === 0 ? '' : `; put in ${missing.join(' and ')}`
  return [
    section('By hand: in one terminal', [serve]),
    section('and in another', fire),
    section('With a relay of your own, in place of dev:', relay),
    section(`with a token ("${tokenBox}") from ${token.join(' ')}`, [
      shellHere().asking('HOOKLINE_GITHUB_TOKEN'),
      ...doctor,
    ]),
    curl === null
      ? section(`and the URL${toFillIn}:`, sealedUrl)
      : section(`and the URL${toFillIn}:`, [url ?? '', curl]),
  ].join('')
}

function section(title: string, lines: readonly string[]): string {
  return lines.length === 0 ? '' : `\n${title}\n${indented(lines.join('\n'))}\n`
}

function indented(text: string): string {
  return text.replace(/^(?=.)/gm, '  ')
}
