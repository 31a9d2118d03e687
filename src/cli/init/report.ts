import { shellHere } from '../terminal.ts'
import type { NewFile } from './kinds.ts'
import { indented } from './kinds.ts'
import type { NextSteps } from './next-steps.ts'

/** The files, each below its path. */
export function filesText(files: readonly NewFile[]): string {
  return files.map(({ path, text }) => `${path}\n\n${indented(text, 2)}\n`).join('\n')
}

/** The page about relays on a server. */
const RELAY_PAGE = 'https://github.com/hookline/hookline/blob/main/docs/host/relay.md'

/** The part of the page about a bot that receives messages on the reader's machine. */
const LOCAL_BOT_PAGE =
  'https://github.com/hookline/hookline/blob/main/docs/start/telegram-bot.md#try-it-on-your-machine'

/**
 * The written files and the next steps, the shortest way first.
 *
 * @param hasRelay whether the user named the address of a relay
 */
export function reportText(
  files: readonly NewFile[],
  dryRun: boolean,
  steps: NextSteps,
  hasRelay: boolean,
): string {
  const paths = files.map(({ path }) => path).join(', ')
  if (dryRun) return `Nothing was written. Without --dry-run, init writes ${paths}`
  const written = `Wrote ${paths}\n`
  return steps.url === null
    ? [
        written,
        section("Push it to the default branch, and store the bot's token:", [
          ...steps.publish,
          ...steps.secrets,
        ]),
        section(
          'Write a message to the bot, and start the workflow. Within about a minute the bot answers:',
          steps.start,
        ),
        section('To try it on this machine:', [LOCAL_BOT_PAGE]),
      ].join('')
    : [
        written,
        section('Commit and push it to the default branch:', steps.publish),
        section(
          'The steps at the sender, its signature and its retries:',
          steps.senderPage === null ? [] : [steps.senderPage],
        ),
        section('Get a public URL, and follow each request to its run:', steps.connect),
        section(secretsTitle(steps), steps.secrets),
        section(
          'The sender waits only briefly for a response. Give its endpoint this setting:',
          steps.endpointSettings,
        ),
        section('Or poll for messages, which needs no public URL:', steps.polling),
        localText(steps),
        hasRelay
          ? relayText(steps)
          : section(
              'Optional: for a URL that always works, start a relay on a server, and create it:',
              [
                'hookline relay',
                '# In a second terminal, with HOOKLINE_GITHUB_TOKEN:',
                ...steps.endpoint,
                `# ${RELAY_PAGE}`,
              ],
            ),
      ].join('')
}

function secretsTitle({ secretSources, storedByKey }: NextSteps): string {
  const noun = secretSources.length === 1 ? 'secret' : 'secrets'
  const key = storedByKey ? ' Press s in connect, or run:' : ''
  return `Store the repository ${noun} (${secretSources.join('; ')}).${key}`.replace(/\.$/, ':')
}

/** The way without GitHub. */
function localText({ prepare, tryOut: [serve = '', ...fire] }: NextSteps): string {
  // The terminal that has read the secret signs with it.
  const lines =
    prepare.length > 0
      ? [...prepare, '# In a second terminal:', serve, '# In this terminal:', ...fire]
      : [serve, '# In a second terminal:', ...fire]
  return section('Optional: to test it on this machine:', lines)
}

/** The way with the relay that the user named, in place of `connect`. */
function relayText(steps: NextSteps): string {
  const { token, tokenBox, relay, doctor, missing, curl, endpoint } = steps
  const replace = missing.length === 0 ? '' : `. Insert ${missing.join(' and ')}`
  return [
    section('Or start your own relay:', relay),
    section(`Create a token ("${tokenBox}") at ${token.join(' ')}, and check the setup:`, [
      shellHere().asking('HOOKLINE_GITHUB_TOKEN'),
      ...doctor,
    ]),
    section(`Create the webhook URL${replace}:`, endpoint),
    curl === null ? '' : section(`Or call a URL with your token${replace}:`, [curl]),
  ].join('')
}

function section(title: string, lines: readonly string[]): string {
  return lines.length === 0 ? '' : `\n${title}\n${indented(lines.join('\n'), 2)}\n`
}
