import { presetOf, type SettingName } from './settings.ts'

/** What each variable means: for `--help`, for the documents, and for whoever reads on. */
export const SETTING_HELP: Readonly<Record<SettingName, string>> = {
  HOOKLINE_API_URL: "GitHub's API",
  HOOKLINE_SERVER_URL: 'GitHub itself',
  HOOKLINE_TELEGRAM_API_URL: 'the bot API',
  HOOKLINE_PUBLIC_URL: 'this relay as senders see it, where a scheme signs the URL',
  HOOKLINE_FORGE: 'github, forgejo or gitea; asked for where it is not set',
  HOOKLINE_REPOSITORY: 'the one repository that the relay serves, as --repository does',

  HOOKLINE_GITHUB_TOKEN: "the platform's token; never printed",
  HOOKLINE_APP_ID:
    'a GitHub App in place of HOOKLINE_GITHUB_TOKEN and HOOKLINE_ACCESS_KEYS: its id',
  HOOKLINE_APP_KEY: 'and its private key, as GitHub gave it',
  HOOKLINE_ACCESS_KEYS:
    'keys without a scope, which requests bring in place of HOOKLINE_GITHUB_TOKEN',
  HOOKLINE_SIGNING_KEYS: 'keys that sign grants; the relay has the same',
  HOOKLINE_REVOKED_GRANTS: 'ids of grants that are accepted no more, separated by commas',
  HOOKLINE_SEALING_KEYS: 'opens sealed tokens, and seals what the outbox keeps',
  HOOKLINE_ADMIN_KEY: 'shows you /outbox and /metrics, and lets hookline outbox in',
  HOOKLINE_DEV_KEY: 'lets a request run the jobs at dev, in the header X-Hookline-Dev-Key',
  HOOKLINE_ACT: 'the program that runs jobs here',
  HOOKLINE_WEBHOOK_SECRET: 'signs a request as its sender would',

  HOOKLINE_DISPATCH: 'workflow_dispatch starts the one workflow that a URL names',
  HOOKLINE_WORKFLOW_REF: 'the branch or tag that it is started on; else the default branch',
  HOOKLINE_SCHEDULE: 'workflows that the relay starts on time, a line each',

  HOOKLINE_GITHUB_TIMEOUT_MS: 'time for all tries of one event',
  HOOKLINE_MAX_BODY_MEMORY_MB: 'megabytes of all bodies that are held at once; beyond it 503',
  HOOKLINE_MAX_CONNECTIONS: 'connections at once; one more is closed as it comes',
  HOOKLINE_OUTBOX_RESPONSE_TIMEOUT_MS: 'with an outbox: how long a sender waits for GitHub',
  HOOKLINE_OUTBOX_MIN_INTERVAL_MS:
    'from one call of an authority to its next while something waits',
  HOOKLINE_OUTBOX_MAX_AGE_HOURS: 'age at which an event that still fails is given up',
  HOOKLINE_OUTBOX_MAX_EVENTS: 'how many events may wait',
  HOOKLINE_OUTBOX_MAX_MB: 'megabytes that may wait',

  HOST: 'address to listen on',
  PORT: 'port to listen on, 0 for a free one',
}

/** All that a relay reads, in the order of its `--help` and of its page. */
export const RELAY_SETTINGS = [
  ...([
    'HOOKLINE_GITHUB_TOKEN',
    'HOOKLINE_APP_ID',
    'HOOKLINE_APP_KEY',
    'HOOKLINE_ACCESS_KEYS',
  ] as const),
  ...(['HOOKLINE_SIGNING_KEYS', 'HOOKLINE_REVOKED_GRANTS', 'HOOKLINE_SEALING_KEYS'] as const),
  ...([
    'HOOKLINE_DISPATCH',
    'HOOKLINE_WORKFLOW_REF',
    'HOOKLINE_REPOSITORY',
    'HOOKLINE_API_URL',
  ] as const),
  ...(['HOOKLINE_FORGE', 'HOOKLINE_PUBLIC_URL', 'HOOKLINE_SCHEDULE'] as const),
  ...([
    'HOOKLINE_ADMIN_KEY',
    'HOOKLINE_GITHUB_TIMEOUT_MS',
    'HOOKLINE_OUTBOX_RESPONSE_TIMEOUT_MS',
  ] as const),
  ...([
    'HOOKLINE_OUTBOX_MIN_INTERVAL_MS',
    'HOOKLINE_OUTBOX_MAX_AGE_HOURS',
    'HOOKLINE_OUTBOX_MAX_EVENTS',
  ] as const),
  ...([
    'HOOKLINE_OUTBOX_MAX_MB',
    'HOOKLINE_MAX_BODY_MEMORY_MB',
    'HOOKLINE_MAX_CONNECTIONS',
  ] as const),
] as const satisfies readonly SettingName[]

/** A variable of the table, or one of others with what it means; or one of ours in other words. */
type Named = SettingName | readonly [name: string, meaning: string]

/** The section of `--help` that names what a command reads, with the defaults. */
export function environmentHelp(...named: readonly Named[]): string {
  const rows = named.map((each) => (typeof each === 'string' ? described(each) : each))
  const width = Math.max(...rows.map(([name]) => name.length))
  const lines = rows.map(([name, meaning]) => `  ${name.padEnd(width)}  ${meaning}`)
  return ['Environment:', ...lines].join('\n')
}

function described(name: SettingName): readonly [string, string] {
  const preset = presetOf(name)
  const meaning = SETTING_HELP[name]
  return [name, preset ? `${meaning}, by default ${preset}` : meaning]
}
