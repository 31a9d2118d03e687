import { type Document, isMap, isScalar, type Node } from 'yaml'
import { parseState, STATE_FORMS } from '../state/index.ts'
import type { Position, Source } from '../wire/errors.ts'
import { isObject, type Json, type JsonObject } from '../wire/json.ts'
import { DISPATCH_MODES, type DispatchMode, isDispatchMode } from '../wire/payload.ts'
import { FORGES, type Forge } from '../wire/settings.ts'
import { FatalMistake, type Mistake } from '../workflow/mistakes.ts'
import { didYouMean, quoted } from '../workflow/suggestion.ts'
import { pairKey, pairsOf, parseYaml, positionAt, rangeOf, resolved } from '../workflow/yaml.ts'

/** The action of this package, at its first major version. */
export const ACTION = 'hookline/hookline@v1'

/** The top-level key of a source that holds its settings; no compiled file has this key. */
export const SETTINGS_KEY = 'hookline'

/** The file with the settings of all sources of a repository. */
export const SETTINGS_FILE = '.github/hookline.yml'

/** The settings that one place gives: a source, or the settings file. */
export interface CompilerSettings {
  /** The action that the job `on` runs, with its comment: `hookline/hookline@<commit> # v1.2.3`. */
  readonly uses?: string | undefined
  readonly dispatch?: DispatchMode | undefined
  /** `none`, `file:<path>` or `branch:<name>`. */
  readonly state?: string | undefined
  /** `runs-on` of the job `on`. */
  readonly runsOn?: Json | undefined
  /** How many items of one event run concurrently. */
  readonly maxParallel?: number | undefined
  readonly forge?: Forge | undefined
  /** Address of the relay, from which the job `on` fetches large bodies. */
  readonly relayUrl?: string | undefined
}

type CompilerSettingName = keyof CompilerSettings

/** One compiler setting. The editor schema and the docs are made from these entries. */
export interface CompilerSetting {
  /** Its key in files. */
  readonly key: string
  readonly name: CompilerSettingName
  /** Its value in the docs: `<store>`. */
  readonly argument: string
  /** One sentence for docs and the editor, without its period. */
  readonly help: string
  /** Its default in words, for docs. */
  readonly default: string
  /** Returns `undefined` for an invalid value. */
  readonly parse: (value: unknown) => CompilerSettings[CompilerSettingName]
  /** The end of the error message for an invalid value, after the key. */
  readonly mistake: string
  /** The JSON Schema of its values, for editors. */
  readonly schema: JsonObject
}

/** The defaults that depend on nothing else. */
const DEFAULTS = { state: 'none', runsOn: 'ubuntu-latest', forge: 'github' } as const

export const COMPILER_SETTINGS: readonly CompilerSetting[] = [
  {
    key: 'uses',
    name: 'uses',
    argument: '<action>',
    help: 'the action that the job "on" runs, as owner/name@<tag or commit>',
    default: `the version in the compiled file, otherwise ${ACTION}`,
    parse: readUses,
    mistake: 'is not an action with a version: write owner/name@<tag or commit>',
    schema: { type: 'string', pattern: '^([.$]{1,2}/|.+@.+)' },
  },
  {
    key: 'dispatch',
    name: 'dispatch',
    argument: '<mode>',
    help: 'how the relay starts the workflow: repository_dispatch or workflow_dispatch',
    default: 'repository on GitHub, otherwise workflow',
    parse: (value) => (isDispatchMode(value) ? value : undefined),
    mistake: `is not one of: ${DISPATCH_MODES.join(', ')}`,
    schema: { enum: [...DISPATCH_MODES] },
  },
  {
    key: 'state',
    name: 'state',
    argument: '<store>',
    help: `where runs remember the events that they passed on: ${STATE_FORMS}`,
    default: DEFAULTS.state,
    parse: readState,
    mistake: `is not one of: ${STATE_FORMS}`,
    schema: { type: 'string', pattern: '^(none$|file:.|branch:.)' },
  },
  {
    key: 'runs-on',
    name: 'runsOn',
    argument: '<label or YAML>',
    help: 'the runner of the job "on": a label, a list of labels, or a group',
    default: DEFAULTS.runsOn,
    parse: readRunsOn,
    mistake: 'is not a label, a list of labels, or a group',
    schema: { $ref: '#/definitions/runs-on' },
  },
  {
    key: 'max-parallel',
    name: 'maxParallel',
    argument: '<count>',
    help: 'how many items of one event run concurrently, from 1 to 256',
    default: '1 for a bot, otherwise all',
    // GitHub runs at most 256 jobs of a matrix: https://docs.github.com/en/actions/reference/limits
    parse: (value) =>
      typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= 256
        ? value
        : undefined,
    mistake: 'is not a number from 1 to 256',
    schema: { type: 'integer', minimum: 1, maximum: 256 },
  },
  {
    key: 'forge',
    name: 'forge',
    argument: '<name>',
    help: `the forge that runs the compiled files: ${FORGES.join(', ')}`,
    default: DEFAULTS.forge,
    parse: (value) => FORGES.find((forge) => forge === value),
    mistake: `is not one of: ${FORGES.join(', ')}`,
    schema: { enum: [...FORGES] },
  },
  {
    key: 'relay-url',
    name: 'relayUrl',
    argument: '<url>',
    help: 'address of the relay, from which the action fetches bodies that are too large for an event',
    default: 'none: such an event fails',
    parse: readRelayUrl,
    mistake: 'is not the https address of a relay',
    schema: { type: 'string', pattern: '^https://' },
  },
]

const KEYS = COMPILER_SETTINGS.map(({ key }) => key)

export interface WrittenSettings {
  readonly values: CompilerSettings
  readonly positions: ReadonlyMap<CompilerSettingName, Position>
  readonly problems: readonly Mistake[]
}

export const NO_SETTINGS: WrittenSettings = { values: {}, positions: new Map(), problems: [] }

/** Parses an action with its version, by name or by address, or an action of the same repository. */
function readUses(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined
  const isNamed = /^(?:https:\/\/[\w.:-]+\/)?[\w.-]+\/[\w./-]+@[\w./-]+$/.test(value)
  return isNamed || /^[.$]\/[\w./-]*$/.test(value) || /^\.\.\/[\w./-]*$/.test(value)
    ? value
    : undefined
}

function readState(value: unknown): string | undefined {
  const choice = typeof value === 'string' ? parseState(value) : undefined
  if (!choice) return undefined
  return choice.kind === 'none' ? 'none' : `${choice.kind}:${choice.value}`
}

/** Parses `runs-on` of a job: a label, a list of labels, or a group. */
function readRunsOn(value: unknown): Json | undefined {
  if (typeof value === 'string' && value.trim() !== '') return value
  if (Array.isArray(value)) {
    const labels = value.filter((label) => typeof label === 'string' && label !== '')
    return labels.length > 0 && labels.length === value.length ? labels : undefined
  }
  if (!isObject(value)) return undefined
  const { group, labels, ...others } = value
  const isGroup = typeof group === 'string' || (group === undefined && labels !== undefined)
  const known = labels === undefined ? undefined : readRunsOn(labels)
  const isKnown = labels === undefined || known !== undefined
  if (!isGroup || !isKnown || Object.keys(others).length > 0) return undefined
  return { ...(group !== undefined && { group }), ...(known !== undefined && { labels: known }) }
}

function readRelayUrl(value: unknown): string | undefined {
  if (typeof value !== 'string' || !URL.canParse(value)) return undefined
  const { protocol, origin } = new URL(value)
  return protocol === 'https:' ? origin : undefined
}

/** Reads `.github/hookline.yml`. A file of comments only has no settings. */
export function readSettingsFile(source: Source): WrittenSettings {
  let document: Document.Parsed
  try {
    document = parseYaml(source)
  } catch (error) {
    if (!(error instanceof FatalMistake)) throw error
    return { ...NO_SETTINGS, problems: error.problems }
  }
  const { contents } = document
  if (contents === null || (isScalar(contents) && contents.value === null)) return NO_SETTINGS
  return readSettings(source, document, contents)
}

export function readSettingsKey(
  source: Source,
  document: Document.Parsed,
  section: { readonly key: Node; readonly value: Node | null } | undefined,
): WrittenSettings {
  if (!section) return NO_SETTINGS
  const value = resolved(document, section.value)
  if (isMap(value) && value.items.length > 0) return readSettings(source, document, value)
  return notSettings(source, section.key, `"${SETTINGS_KEY}:" has no settings`)
}

const KNOWN = `settings: ${KEYS.join(', ')}`

function notSettings(source: Source, node: Node, message: string): WrittenSettings {
  const position = positionAt(source, ...rangeOf(node))
  const problem: Mistake = { code: 'setting-value', message, position, notes: [KNOWN] }
  return { ...NO_SETTINGS, problems: [problem] }
}

function readSettings(source: Source, document: Document, map: Node): WrittenSettings {
  if (!isMap(map)) return notSettings(source, map, `${source.name} is not a mapping of settings`)
  const values: Record<string, CompilerSettings[CompilerSettingName]> = {}
  const positions = new Map<CompilerSettingName, Position>()
  const problems: Mistake[] = []
  for (const pair of pairsOf(map)) {
    const name = pairKey(pair)
    const setting = COMPILER_SETTINGS.find(({ key }) => key === name)
    const written = setting ? (pair.value ?? pair.key) : pair.key
    const position = positionAt(source, ...rangeOf(written))
    if (!setting) {
      const hint = didYouMean(name, KEYS)
      const message = `unknown setting ${quoted(name)}`
      const mistake = { message, position, ...(hint && { hint }), notes: [KNOWN] }
      problems.push({ code: 'unknown-setting', ...mistake })
      continue
    }
    const node = resolved(document, pair.value)
    const value = setting.parse(node?.toJS(document, { maxAliasCount: -1 }))
    if (value === undefined) {
      const message = `"${name}" ${setting.mistake}`
      problems.push({ code: 'setting-value', message, position })
      continue
    }
    // The comment after a commit names its version, so it stays with the value.
    const comment = isScalar(node) && name === 'uses' ? node.comment?.trim() : undefined
    const isLine = comment !== undefined && comment !== '' && !comment.includes('\n')
    values[setting.name] = isLine ? `${value} # ${comment}` : value
    positions.set(setting.name, position)
  }
  return { values: values as CompilerSettings, positions, problems } // each comes from its own parser
}

export interface CompileSettings {
  readonly uses: string
  /** Whether a file gives `uses`; otherwise the existing compiled file does, or the default. */
  readonly isUsesConfigured: boolean
  readonly dispatch: DispatchMode
  readonly state: string
  readonly runsOn: Json
  /** `undefined` if no place gives it; then the triggers decide. */
  readonly maxParallel: number | undefined
  readonly forge: Forge
  readonly relayUrl: string | undefined
}

/** The places of settings. For each key the first place that gives it wins. */
export interface SettingsLayers {
  /** The key `hookline:` of the source. */
  readonly source: WrittenSettings
  readonly repository: WrittenSettings
}

/**
 * @param existing the action that the existing compiled file runs: a build keeps it unless a setting
 *   names another one
 * @param action the action of this package
 */
export function mergedSettings(
  { source, repository }: SettingsLayers,
  {
    existing,
    action = ACTION,
  }: { readonly existing?: string | undefined; readonly action?: string },
): CompileSettings {
  const configured = <Name extends CompilerSettingName>(name: Name): CompilerSettings[Name] =>
    source.values[name] ?? repository.values[name]
  const forge = configured('forge') ?? DEFAULTS.forge
  const uses = configured('uses')
  return {
    uses: usesOn(forge, uses ?? existing ?? action),
    isUsesConfigured: uses !== undefined,
    dispatch: configured('dispatch') ?? (forge === 'github' ? 'repository' : 'workflow'),
    state: configured('state') ?? DEFAULTS.state,
    runsOn: configured('runsOn') ?? DEFAULTS.runsOn,
    maxParallel: configured('maxParallel'),
    relayUrl: configured('relayUrl'),
    forge,
  }
}

const GITHUB = 'https://github.com/'

/** Other forges resolve a name without an address on their own host, so there the action gets its address. */
export function usesOn(forge: Forge, uses: string): string {
  if (forge !== 'github') return /^hookline\/hookline[/@]/i.test(uses) ? GITHUB + uses : uses
  return uses.startsWith(GITHUB) ? uses.slice(GITHUB.length) : uses
}

/** Returns an error for each setting that the forge does not support. */
export function settingsProblems(layers: SettingsLayers, settings: CompileSettings): Mistake[] {
  const { forge, dispatch, state } = settings
  if (forge === 'github') return []
  const problem = (name: CompilerSettingName, message: string, hint: string): Mistake => {
    const position = layers.source.positions.get(name) ?? layers.repository.positions.get(name)
    return { code: 'setting-value', message, ...(position && { position }), hint }
  }
  const problems: Mistake[] = []
  if (dispatch === 'repository') {
    const message = `${forge} does not support repository_dispatch`
    problems.push(problem('dispatch', message, 'remove "dispatch", or set it to workflow'))
  }
  if (state.startsWith('branch:')) {
    const message = `${forge} does not support a store on a branch, which needs the GitHub API`
    problems.push(problem('state', message, 'set "state" to file:<path>, on a persistent disk'))
  }
  return problems
}
