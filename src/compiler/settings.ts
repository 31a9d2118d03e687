import { type Document, isMap, isScalar, type Node } from 'yaml'
import { parseState, STATE_FORMS } from '../state/index.ts'
import type { Position, Source } from '../wire/errors.ts'
import { isObject, type Json } from '../wire/json.ts'
import { LIMITS } from '../wire/limits.ts'
import { DISPATCH_MODES, type DispatchMode, isDispatchMode } from '../wire/payload.ts'
import { type Mistake, Refusal } from '../workflow/mistakes.ts'
import { didYouMean, quoted } from '../workflow/suggestion.ts'
import { keyOf, pairsOf, parseYaml, positionAt, rangeOf, resolved } from '../workflow/yaml.ts'

/** The action of this package, at its first major version. */
export const ACTION = 'hookline/hookline@v1'

/** The top-level key by which a source says how it is to be compiled; no compiled file has it. */
export const OWN_KEY = 'hookline'

/** Where a repository says it for all of its sources. */
export const SETTINGS_FILE = '.github/hookline.yml'

/** Whose runners the compiled files are for. */
export const PLATFORMS = ['github', 'forgejo', 'gitea'] as const
export type Platform = (typeof PLATFORMS)[number]

/** How sources are compiled, as far as it is said in one place. */
export interface Settings {
  /** The action that the job `on` runs, with what stands behind it: `hookline/hookline@<commit> # v1.2.3`. */
  readonly uses?: string | undefined
  /** What a webhook starts the workflow by. */
  readonly dispatch?: DispatchMode | undefined
  /** `none`, `file:<path>` or `branch:<name>`. */
  readonly state?: string | undefined
  /** What the job `on` runs on. */
  readonly runsOn?: Json | undefined
  /** How many items of one event run at once. */
  readonly maxParallel?: number | undefined
  readonly platform?: Platform | undefined
}

/** Settings as a file says them. */
export interface WrittenSettings {
  readonly values: Settings
  /** Where the value of each stands. */
  readonly positions: ReadonlyMap<keyof Settings, Position>
  readonly problems: readonly Mistake[]
}

export const NOTHING_WRITTEN: WrittenSettings = { values: {}, positions: new Map(), problems: [] }

interface Setting {
  readonly key: string
  readonly name: keyof Settings
  /** `undefined` for what it cannot be. */
  readonly parse: (value: unknown) => Settings[keyof Settings]
  /** What is wrong with such a value, behind the name of the setting. */
  readonly mistake: string
}

const SETTINGS: readonly Setting[] = [
  {
    key: 'uses',
    name: 'uses',
    parse: readUses,
    mistake: 'is no action with its version: owner/name@<tag or commit>',
  },
  {
    key: 'dispatch',
    name: 'dispatch',
    parse: (value) => (isDispatchMode(value) ? value : undefined),
    mistake: `is neither ${DISPATCH_MODES.join(' nor ')}`,
  },
  { key: 'state', name: 'state', parse: readState, mistake: `is none of: ${STATE_FORMS}` },
  {
    key: 'runs-on',
    name: 'runsOn',
    parse: readRunsOn,
    mistake: 'is neither a label, nor a list of labels, nor a group',
  },
  {
    key: 'max-parallel',
    name: 'maxParallel',
    parse: (value) => (isCount(value) ? value : undefined),
    mistake: 'is no number from 1 to 256',
  },
  {
    key: 'platform',
    name: 'platform',
    parse: (value) => PLATFORMS.find((platform) => platform === value),
    mistake: `is none of: ${PLATFORMS.join(', ')}`,
  },
]

const KEYS = SETTINGS.map(({ key }) => key)

/** An action with its version, by name or by address, or the one of the same repository. */
export function readUses(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined
  const isNamed = /^(?:https:\/\/[\w.:-]+\/)?[\w.-]+\/[\w./-]+@[\w./-]+$/.test(value)
  return isNamed || /^[.$]\/[\w./-]*$/.test(value) || /^\.\.\/[\w./-]*$/.test(value)
    ? value
    : undefined
}

export function readState(value: unknown): string | undefined {
  const choice = typeof value === 'string' ? parseState(value) : undefined
  if (!choice) return undefined
  return choice.kind === 'none' ? 'none' : `${choice.kind}:${choice.value}`
}

/** What `runs-on` of a job may be: a label, a list of labels, or a group. */
export function readRunsOn(value: unknown): Json | undefined {
  if (typeof value === 'string' && value.trim() !== '') return value
  if (Array.isArray(value)) {
    const labels = value.filter((label) => typeof label === 'string' && label !== '')
    return labels.length > 0 && labels.length === value.length ? labels : undefined
  }
  if (!isObject(value)) return undefined
  const { group, labels, ...others } = value
  const isGroup = typeof group === 'string' || group === undefined
  const known = labels === undefined ? undefined : readRunsOn(labels)
  if (!isGroup || Object.keys(others).length > 0 || (labels !== undefined && !known))
    return undefined
  if (group === undefined && known === undefined) return undefined
  return { ...(group !== undefined && { group }), ...(known !== undefined && { labels: known }) }
}

/** GitHub runs at most 256 jobs of a matrix. */
function isCount(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) >= 1 && Number(value) <= 256
}

/** The settings of `.github/hookline.yml`. A file of comments alone says nothing. */
export function readSettingsFile(source: Source): WrittenSettings {
  let document: Document.Parsed
  try {
    document = parseYaml(source)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return { ...NOTHING_WRITTEN, problems: error.problems }
  }
  const { contents } = document
  if (contents === null || (isScalar(contents) && contents.value === null)) return NOTHING_WRITTEN
  return readSettings(source, document, contents)
}

/** The key `hookline:` of a source. */
export function readOwnKey(
  source: Source,
  document: Document.Parsed,
  section: { readonly key: Node; readonly value: Node | null } | undefined,
): WrittenSettings {
  if (!section) return NOTHING_WRITTEN
  const value = resolved(document, section.value)
  if (isMap(value) && value.items.length > 0) return readSettings(source, document, value)
  const message = `"${OWN_KEY}:" names no setting`
  const position = positionAt(source, ...rangeOf(section.key))
  return {
    ...NOTHING_WRITTEN,
    problems: [{ code: 'setting-value', message, position, notes: [KNOWN] }],
  }
}

const KNOWN = `settings: ${KEYS.join(', ')}`

function readSettings(source: Source, document: Document, map: Node): WrittenSettings {
  const at = (node: Node) => positionAt(source, ...rangeOf(node))
  if (!isMap(map)) {
    const message = `${source.name} is no mapping of settings`
    return {
      ...NOTHING_WRITTEN,
      problems: [{ code: 'setting-value', message, position: at(map), notes: [KNOWN] }],
    }
  }
  const values: Record<string, Settings[keyof Settings]> = {}
  const positions = new Map<keyof Settings, Position>()
  const problems: Mistake[] = []
  for (const pair of pairsOf(map)) {
    const name = keyOf(pair)
    const setting = SETTINGS.find(({ key }) => key === name)
    if (!setting) {
      const hint = didYouMean(name, KEYS)
      const message = `unknown setting ${quoted(name)}`
      problems.push({
        code: 'unknown-setting',
        message,
        position: at(pair.key),
        ...(hint && { hint }),
        notes: [KNOWN],
      })
      continue
    }
    const node = resolved(document, pair.value)
    const written = plain(document, node)
    const value = setting.parse(written)
    const place = pair.value ?? pair.key
    if (value === undefined) {
      problems.push({
        code: 'setting-value',
        message: `"${name}" ${setting.mistake}`,
        position: at(place),
      })
      continue
    }
    // What stands behind a commit says which version it is.
    const comment = isScalar(node) && name === 'uses' ? node.comment?.trim() : undefined
    const isLine = comment !== undefined && comment !== '' && !comment.includes('\n')
    values[setting.name] = isLine ? `${value} # ${comment}` : value
    positions.set(setting.name, at(place))
  }
  return { values: values as Settings, positions, problems } // each was made by its own parser
}

/** `undefined` for an alias that is unknown, or used too often. */
function plain(document: Document, node: Node | undefined): unknown {
  try {
    return node?.toJS(document, { maxAliasCount: LIMITS.yamlAliases })
  } catch {
    return undefined
  }
}

/** What a source is compiled with. */
export interface CompileSettings {
  readonly uses: string
  /** Whether `uses` is what a flag or a file says, and not what stands in the made file already. */
  readonly isUsesSaid: boolean
  readonly dispatch: DispatchMode
  readonly state: string
  readonly runsOn: Json
  /** `undefined` where nothing is said: the triggers decide. */
  readonly maxParallel: number | undefined
  readonly platform: Platform
}

/** Where settings are said, what is said first winning key by key. */
export interface SaidSettings {
  readonly flags: Settings
  /** By the source itself. */
  readonly own: WrittenSettings
  /** By the repository, for all sources. */
  readonly repository: WrittenSettings
}

/**
 * @param standing the action that the file to be replaced runs: no build changes it unasked
 * @param action of this package
 */
export function settingsOf(
  { flags, own, repository }: SaidSettings,
  {
    standing,
    action = ACTION,
  }: { readonly standing?: string | undefined; readonly action?: string },
): CompileSettings {
  const said = <Name extends keyof Settings>(name: Name): Settings[Name] =>
    flags[name] ?? own.values[name] ?? repository.values[name]
  const platform = said('platform') ?? 'github'
  const uses = said('uses')
  return {
    uses: usesOn(platform, uses ?? standing ?? action),
    isUsesSaid: uses !== undefined,
    dispatch: said('dispatch') ?? (platform === 'github' ? 'repository' : 'workflow'),
    state: said('state') ?? 'none',
    runsOn: said('runsOn') ?? 'ubuntu-latest',
    maxParallel: said('maxParallel'),
    platform,
  }
}

const GITHUB = 'https://github.com/'

/** Elsewhere a bare name is one of that host, so the action of this project is named by its address. */
export function usesOn(platform: Platform, uses: string): string {
  if (platform !== 'github') return /^hookline\/hookline[/@]/i.test(uses) ? GITHUB + uses : uses
  return uses.startsWith(GITHUB) ? uses.slice(GITHUB.length) : uses
}

/** What the settings of a source ask for that its platform has not. */
export function settingsProblems(said: SaidSettings, settings: CompileSettings): Mistake[] {
  const { platform, dispatch, state } = settings
  if (platform === 'github') return []
  const position = (name: keyof Settings) =>
    said.flags[name] === undefined
      ? (said.own.positions.get(name) ?? said.repository.positions.get(name))
      : undefined
  const problem = (name: keyof Settings, message: string, hint: string): Mistake => {
    const place = position(name)
    return { code: 'setting-value', message, ...(place && { position: place }), hint }
  }
  return [
    ...(dispatch === 'repository'
      ? [
          problem(
            'dispatch',
            `${platform} has no repository_dispatch`,
            'remove "dispatch": there it is workflow',
          ),
        ]
      : []),
    ...(state.startsWith('branch:')
      ? [
          problem(
            'state',
            `a store on a branch is kept by GitHub's own API, which ${platform} has not`,
            'write file:<path>, on a disk that outlives the run',
          ),
        ]
      : []),
  ]
}

/**
 * Where a flag says otherwise than what is written down: the next build without it would undo it.
 * The action alone is kept by the file that stands there, so only another setting undoes it.
 */
export function unwrittenFlags(file: string, said: SaidSettings): Mistake[] {
  const written = { ...said, flags: {} }
  const [with_, without] = [settingsOf(said, {}), settingsOf(written, {})]
  return SETTINGS.flatMap(({ key, name }): Mistake[] => {
    if (said.flags[name] === undefined) return []
    if (name === 'uses' && !without.isUsesSaid) return []
    if (JSON.stringify(with_[name]) === JSON.stringify(without[name])) return []
    const line = `${key}: ${typeof with_[name] === 'string' ? with_[name] : JSON.stringify(with_[name])}`
    const isOwn = said.own.values[name] !== undefined
    const isChanged = isOwn || said.repository.values[name] !== undefined
    const position = said.own.positions.get(name) ?? said.repository.positions.get(name)
    const place = `write "${line}" ${isChanged ? 'here' : `into ${SETTINGS_FILE}`}`
    return [
      {
        code: 'unwritten-flag',
        message: `--${key} differs from what is written down: a build without it would undo this`,
        ...(position && { position }),
        hint: place,
        ...(isChanged ? {} : { notes: [`or under "${OWN_KEY}:" in ${file}, for that one alone`] }),
      },
    ]
  })
}
