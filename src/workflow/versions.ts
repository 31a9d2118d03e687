/** The day on which the tables of this file were compared with GitHub and with the actions. */
export const VERSIONS_DATE = '2026-11-25'

interface ActionVersions {
  /** The version that Hookline writes into files. */
  readonly current: string
  /** The first major version that runs on Node 24. */
  readonly node24?: number
  /** The first major version whose service GitHub still runs. */
  readonly served?: number
}

/** Actions of others, by name. `init` writes `current`; `check` reports older versions. */
export const ACTIONS = {
  'actions/cache': { current: 'v5', node24: 5, served: 4 },
  'actions/cache/restore': { current: 'v5', node24: 5, served: 4 },
  'actions/cache/save': { current: 'v5', node24: 5, served: 4 },
  'actions/checkout': { current: 'v6', node24: 5 },
  'actions/download-artifact': { current: 'v7', node24: 7, served: 4 },
  'actions/github-script': { current: 'v8', node24: 8 },
  'actions/labeler': { current: 'v6', node24: 6 },
  'actions/setup-dotnet': { current: 'v5', node24: 5 },
  'actions/setup-go': { current: 'v6', node24: 6 },
  'actions/setup-java': { current: 'v5', node24: 5 },
  'actions/setup-node': { current: 'v6', node24: 5 },
  'actions/setup-python': { current: 'v6', node24: 6 },
  'actions/stale': { current: 'v10', node24: 10 },
  'actions/upload-artifact': { current: 'v6', node24: 6, served: 4 },
  'anthropics/claude-code-action': { current: 'v1' },
  'docker/build-push-action': { current: 'v7', node24: 7 },
  'docker/login-action': { current: 'v4', node24: 4 },
  'docker/setup-buildx-action': { current: 'v4', node24: 4 },
  'google-github-actions/run-gemini-cli': { current: 'v0' },
  'openai/codex-action': { current: 'v1' },
} as const satisfies Readonly<Record<string, ActionVersions>>

export type KnownAction = keyof typeof ACTIONS

/** A reference for `uses:`: `actions/checkout@v6`. */
export function actionReference(action: KnownAction): string {
  return `${action}@${ACTIONS[action].current}`
}

export function currentVersion(action: string): string | undefined {
  return versionsOf(action)?.current
}

/** The major version of `actions/checkout@v4.2.2`: 4. `undefined` for a branch or a commit. */
export function actionVersion(uses: string): number | undefined {
  const [, major] = /@v?(\d{1,3})(?:\.\d+){0,2}$/.exec(uses) ?? []
  return major === undefined ? undefined : Number(major)
}

/** The reason that an action no longer works in a version; `undefined` if it works or is not known. */
export function retiredActionReason(action: string, version: number): string | undefined {
  const { served = 0, node24 = 0 } = versionsOf(action) ?? {}
  if (version < served) return 'uses a service that GitHub has shut down'
  return version < node24 ? 'needs Node 20 or older, which GitHub removed on 2026-09-23' : undefined
}

function versionsOf(action: string): ActionVersions | undefined {
  return Object.hasOwn(ACTIONS, action) ? ACTIONS[action as KnownAction] : undefined // checked by hasOwn
}

/** Runner images that GitHub has removed: since when, and the image to use. */
export const RETIRED_RUNNERS: ReadonlyMap<
  string,
  { readonly since: string; readonly use: string }
> = new Map([
  ['ubuntu-18.04', { since: '2023-04-03', use: 'ubuntu-latest' }],
  ['ubuntu-20.04', { since: '2025-04-15', use: 'ubuntu-latest' }],
  ['macos-11', { since: '2024-06-28', use: 'macos-latest' }],
  ['macos-12', { since: '2024-12-03', use: 'macos-latest' }],
  ['macos-13', { since: '2025-12-08', use: 'macos-15-intel' }],
  ['macos-14', { since: '2026-11-02', use: 'macos-latest' }],
  ['windows-2019', { since: '2025-06-30', use: 'windows-latest' }],
])
