import { type SettingName, settingDefault } from './settings.ts'

type HelpVariable = SettingName | readonly [name: string, meaning: string]

/**
 * The meaning of each variable, for `--help` and for the docs. They lie apart from the settings, because the
 * relay on Workers has a limit for its size.
 */
export const MEANINGS: Readonly<Record<SettingName, string>> = {
  HOOKLINE_GITHUB_TOKEN: 'GitHub token that starts workflows',
  HOOKLINE_APP_ID: 'id of a GitHub App, in place of HOOKLINE_GITHUB_TOKEN',
  HOOKLINE_APP_KEY: 'private key of the GitHub App, in PEM',
  HOOKLINE_ALLOW_TOKENS:
    'true: a relay with its own GitHub credential accepts GitHub tokens too, like --allow-tokens',
  HOOKLINE_REPOSITORY: 'the only repository that the relay serves, like --repository',
  HOOKLINE_API_URL: 'address of the GitHub API',
  HOOKLINE_DATA: 'folder of the database and the relay key',
  HOOKLINE_RELAY_KEY: 'relay keys, separated by commas, in place of the file relay.key',
  HOOKLINE_FORGE: 'github, forgejo or gitea (default: detected)',
  HOOKLINE_PUBLIC_URL:
    'public address of the relay, for schemes that sign the URL and for large bodies',
  HOOKLINE_MAX_BODY_MB:
    'largest body that the relay stores for the action; needs a database and HOOKLINE_PUBLIC_URL',
  HOOKLINE_MAX_STORAGE_MB:
    'room for deliveries and large bodies in the database; on Workers, the default is 256',
  HOOKLINE_MAX_AGE_HOURS: 'age at which an event that GitHub does not accept is given up',
  HOOKLINE_RETENTION_DAYS:
    'how long the relay stores delivered, filtered and refused deliveries; 0: without payloads',
  HOOKLINE_NOTIFY_URL: 'https address that gets a signed webhook about runs that fail, and alarms',
  HOOKLINE_NOTIFY_SECRET:
    'secret that signs notifications: whsec_ and the base64 of at least 24 random bytes',
  HOOKLINE_NOTIFY: 'all: notifications about runs that succeed, too',
  HOOKLINE_SERVER_URL: 'address of GitHub',
  HOOKLINE_TELEGRAM_API_URL: 'address of the Telegram Bot API',
  HOOKLINE_DEV_KEY: 'key in the header X-Hookline-Dev-Key; a request with it runs real jobs',
  HOOKLINE_ACT: 'program that runs jobs on this machine',
  HOOKLINE_WEBHOOK_SECRET: "the sender's secret, which signs the request",
  HOST: 'address to listen on',
  PORT: 'port to listen on; 0 selects a free port',
}

/** Columns of a help text. */
export const HELP_WIDTH = 80

/** The section of `--help` that lists the variables of a command, with their defaults. */
export function environmentHelp(...variables: readonly HelpVariable[]): string {
  const rows = variables.map((each) => (typeof each === 'string' ? variableHelp(each) : each))
  const width = Math.max(...rows.map(([name]) => name.length))
  const indent = ' '.repeat(width + 4)
  const lines = rows.map(([name, meaning]) => {
    const wrapped = wrap(meaning, HELP_WIDTH - indent.length).join(`\n${indent}`)
    return `  ${name.padEnd(width)}  ${wrapped}`
  })
  return ['Environment:', ...lines].join('\n')
}

/** The words of a text in lines of at most `width` characters; a longer word has its own line. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const last = lines.at(-1)
    if (last === undefined || last.length + 1 + word.length > width) lines.push(word)
    else lines[lines.length - 1] = `${last} ${word}`
  }
  return lines
}

function variableHelp(name: SettingName): readonly [string, string] {
  const preset = settingDefault(name)
  const meaning = MEANINGS[name]
  return [name, preset ? `${meaning} (default: ${preset})` : meaning]
}
