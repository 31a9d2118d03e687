import { type SettingName, settingDefault } from './settings.ts'

/** The meaning of each variable, for `--help` and for the docs. */
export const SETTING_HELP: Readonly<Record<SettingName, string>> = {
  HOOKLINE_API_URL: 'address of the GitHub API',
  HOOKLINE_SERVER_URL: 'address of GitHub',
  HOOKLINE_TELEGRAM_API_URL: 'address of the Telegram Bot API',
  HOOKLINE_PUBLIC_URL: 'public address of the relay, for schemes that sign the URL',
  HOOKLINE_FORGE: 'github, forgejo or gitea (default: detected)',
  HOOKLINE_REPOSITORY: 'the only repository that the relay serves, like --repository',

  HOOKLINE_GITHUB_TOKEN: 'GitHub token that starts workflows',
  HOOKLINE_CREDENTIAL:
    'credential of a webhook request: a grant, a sealed token, an access key or a GitHub token',
  HOOKLINE_APP_ID: 'id of a GitHub App, in place of HOOKLINE_GITHUB_TOKEN and HOOKLINE_ACCESS_KEYS',
  HOOKLINE_APP_KEY: 'private key of the GitHub App, in PEM',
  HOOKLINE_ACCESS_KEYS:
    'keys that a request carries if the relay has HOOKLINE_GITHUB_TOKEN, separated by commas',
  HOOKLINE_SIGNING_KEYS: 'keys that sign grants; the relay needs the same keys',
  HOOKLINE_REVOKED_GRANTS: 'ids of revoked grants, separated by commas',
  HOOKLINE_SEALING_KEYS: 'keys that open sealed tokens and encrypt the outbox',
  HOOKLINE_ADMIN_KEY: 'key of the admin API: /outbox, /metrics, hookline outbox',
  HOOKLINE_DEV_KEY: 'key in the header X-Hookline-Dev-Key; a request with it runs real jobs',
  HOOKLINE_ACT: 'program that runs jobs on this machine',
  HOOKLINE_WEBHOOK_SECRET: "the sender's secret, which signs the request",

  HOOKLINE_DISPATCH: 'repository or workflow: how the relay starts workflows',
  HOOKLINE_WORKFLOW_REF: 'branch or tag for workflow (default: the default branch)',
  HOOKLINE_SCHEDULE: 'workflows that the relay starts on a schedule, one per line',

  HOOKLINE_GITHUB_TIMEOUT_MS: 'time for all attempts to deliver one event',
  HOOKLINE_MAX_BODY_MEMORY_MB: 'memory for request bodies; beyond it the relay responds 503',
  HOOKLINE_MAX_CONNECTIONS: 'concurrent connections; the relay closes any further connection',
  HOOKLINE_OUTBOX: 'database file of the outbox, like --outbox',
  HOOKLINE_OUTBOX_RESPONSE_TIMEOUT_MS:
    'time for GitHub before the relay responds 202 and queues the event',
  HOOKLINE_OUTBOX_MIN_INTERVAL_MS:
    'minimum interval between the calls of a credential while events are queued',
  HOOKLINE_OUTBOX_MAX_AGE_HOURS: 'age at which an undelivered event becomes a dead letter',
  HOOKLINE_OUTBOX_MAX_EVENTS: 'maximum number of queued events',
  HOOKLINE_OUTBOX_MAX_MB: 'maximum size of the outbox, in megabytes',
  HOOKLINE_BATCH_COPIES_HOURS: 'time for which delivered batches can be replayed',

  HOST: 'address to listen on',
  PORT: 'port to listen on; 0 selects a free port',
}

/** Every variable of a relay, in the order of its `--help` and of its page. */
export const RELAY_SETTINGS = [
  'HOOKLINE_GITHUB_TOKEN',
  'HOOKLINE_APP_ID',
  'HOOKLINE_APP_KEY',
  'HOOKLINE_ACCESS_KEYS',
  'HOOKLINE_SIGNING_KEYS',
  'HOOKLINE_REVOKED_GRANTS',
  'HOOKLINE_SEALING_KEYS',
  'HOOKLINE_DISPATCH',
  'HOOKLINE_WORKFLOW_REF',
  'HOOKLINE_REPOSITORY',
  'HOOKLINE_API_URL',
  'HOOKLINE_FORGE',
  'HOOKLINE_PUBLIC_URL',
  'HOOKLINE_SCHEDULE',
  'HOOKLINE_ADMIN_KEY',
  'HOOKLINE_GITHUB_TIMEOUT_MS',
  'HOOKLINE_MAX_BODY_MEMORY_MB',
  'HOOKLINE_MAX_CONNECTIONS',
  'HOOKLINE_OUTBOX',
  'HOOKLINE_OUTBOX_RESPONSE_TIMEOUT_MS',
  'HOOKLINE_OUTBOX_MIN_INTERVAL_MS',
  'HOOKLINE_OUTBOX_MAX_AGE_HOURS',
  'HOOKLINE_OUTBOX_MAX_EVENTS',
  'HOOKLINE_OUTBOX_MAX_MB',
  'HOOKLINE_BATCH_COPIES_HOURS',
] as const satisfies readonly SettingName[]

/** A variable of the table, or any variable with its meaning. */
type Variable = SettingName | readonly [name: string, meaning: string]

/** Columns of a help text. */
export const HELP_WIDTH = 80

/** The section of `--help` that lists the variables of a command, with their defaults. */
export function environmentHelp(...variables: readonly Variable[]): string {
  const rows = variables.map((each) => (typeof each === 'string' ? described(each) : each))
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

function described(name: SettingName): readonly [string, string] {
  const preset = settingDefault(name)
  const meaning = SETTING_HELP[name]
  return [name, preset ? `${meaning} (default: ${preset})` : meaning]
}
