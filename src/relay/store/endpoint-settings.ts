import { durationSeconds } from '../../wire/duration.ts'
import type { JsonObject } from '../../wire/json.ts'
import { LIMITS } from '../../wire/limits.ts'
import { isOwner, isRepository, isWorkflowName, splitOnce } from '../../wire/path.ts'
import { type DispatchMode, isDispatchMode } from '../../wire/payload.ts'
import { isHeaderSafe, Secret } from '../../wire/secret.ts'
import { RelayError } from '../errors.ts'
import { ownerOf } from './queue-name.ts'

/** A workflow that an endpoint starts. */
export interface EndpointTarget {
  /** `owner/name` */
  readonly repository: string
  readonly workflow: string
  readonly trigger: string
}

/** The settings of a webhook URL that the relay stores. */
export interface EndpointSettings {
  /** `owner/name` */
  readonly repository: string
  /** Absent with the trigger if the URL names both: `anyWorkflow` in the admin API. */
  readonly workflow?: string | undefined
  readonly trigger?: string | undefined
  readonly dispatch: DispatchMode
  /** Branch or tag for `workflow_dispatch`; the default branch if absent. */
  readonly ref?: string | undefined
  /** Further workflows of the same owner that each request starts. */
  readonly targets?: readonly EndpointTarget[] | undefined
  /** Entries of a trigger's option `verify`, with their secrets. One of them must verify a request. */
  readonly verify?: readonly JsonObject[] | undefined
  /** An expression of GitHub's language over `method`, `path`, `query`, `headers` and `body`. */
  readonly if?: string | undefined
  /** `allow` forwards an event for which `if` cannot be evaluated; otherwise the relay drops it. */
  readonly ifError?: 'allow' | undefined
  /** `stored`: the response does not wait for GitHub. */
  readonly respond: 'github' | 'stored'
  /** Seconds for which events are collected into one. */
  readonly batch?: number | undefined
  /** Seconds without an event that end a batch earlier. */
  readonly debounce?: number | undefined
  /** The longest time without an event, such as `2h`; beyond it, the relay begins an alarm. */
  readonly expect?: string | undefined
  /** GitHub token; without one, the endpoint uses the relay's own GitHub credential. */
  readonly token?: Secret | undefined
}

/** An endpoint: `https://<relay>/-/<owner>/<id>` stands for its settings. */
export interface Endpoint extends EndpointSettings {
  /** Owner of the repository, in lower case. */
  readonly owner: string
  /** The public name, unique for the owner: in the admin API, logs, metrics and deliveries. */
  readonly name: string
  /** 22 characters of base64url, from 128 random bits. Anyone who has it can send events. */
  readonly id: Secret
  /** Milliseconds since 1970. It tells an endpoint from an earlier one of the same name. */
  readonly created: number
}

/** The checks that an endpoint asks the relay to make for each request. */
export type CheckClaims = Pick<EndpointSettings, 'if' | 'ifError' | 'verify'>

/** Checks that a caller of the admin API gives to an endpoint. */
export interface GivenClaims {
  readonly if: string | undefined
  readonly verify: unknown
}

export function isEndpointOwner(text: string): boolean {
  return isOwner(text) && text === text.toLowerCase()
}

/** The public name of an endpoint, as a pattern. With other first characters it could be a flag, or `..`. */
export const ENDPOINT_NAME_FORM = /^[a-z0-9][a-z0-9._-]{0,62}$/

/** The facts that decide which settings are allowed. */
export interface SettingsRules {
  /** Whether the caller has the relay key. Otherwise the endpoint must use the caller's own token. */
  readonly isAdmin: boolean
  /** Whether the relay has a GitHub credential of its own. */
  readonly hasCredential: boolean
  /** Address of the relay as senders call it, which some schemes sign. */
  readonly publicUrl?: string | undefined
  /** Loads the module that knows the schemes and expressions. */
  readonly loadChecks: () => Promise<{
    /** Why the relay cannot use claims; `undefined` if it can. */
    claimsMistake(claims: GivenClaims, publicUrl?: string): string | undefined
  }>
}

const SETTINGS = [
  ...['repository', 'workflow', 'trigger', 'anyWorkflow', 'dispatch', 'ref', 'targets', 'verify'],
  ...['if', 'ifError', 'respond', 'batch', 'debounce', 'expect', 'credential', 'token'],
]

const MOST_TARGETS = 10
const MOST_SECONDS = 3600

/** A shorter token would not be searched for in what the relay forwards. */
const SHORTEST_TOKEN = 20

/**
 * Reads the settings that a caller of the admin API gives to an endpoint. `null` is an absent setting.
 *
 * @param given a JSON object
 * @throws RelayError 400 that names every mistake, 403 for a setting that needs the relay key
 */
export async function readEndpointSettings(
  given: Readonly<Record<string, unknown>>,
  rules: SettingsRules,
): Promise<EndpointSettings> {
  const mistakes: string[] = []
  const read = <Value>(
    name: string,
    isValid: (value: unknown) => value is Value,
    form: string,
  ): Value | undefined => {
    const value = given[name] ?? undefined
    if (value === undefined || isValid(value)) return value
    mistakes.push(`"${name}" must be ${form}.`)
    return undefined
  }
  for (const name of Object.keys(given).filter((name) => !SETTINGS.includes(name))) {
    mistakes.push(`${JSON.stringify(name.slice(0, 40))} is not a setting.`)
  }
  const repository = read('repository', isTextOf(isRepository), 'owner/name') ?? ''
  if (given.repository == null) mistakes.push('"repository" is missing.')
  const anyWorkflow = read('anyWorkflow', isBoolean, 'true or false') ?? false
  const workflow = read('workflow', isTextOf(isWorkflow), 'a file name without its extension')
  const trigger = read('trigger', isTextOf(isTrigger), 'the name of a trigger, such as webhook')
  const dispatch = read('dispatch', isDispatchMode, 'repository or workflow') ?? 'repository'
  const ref = read('ref', isTextOf(isRef), 'the name of a branch or tag')
  const targets = read('targets', isTargetList, TARGETS_FORM)?.map(readTarget) ?? []
  const respond = read('respond', isOneOf('github', 'stored'), 'github or stored') ?? 'github'
  const batch = read('batch', isSeconds, `a whole number of seconds from 1 to ${MOST_SECONDS}`)
  const debounce = read('debounce', isSeconds, 'a whole number of seconds, less than "batch"')
  const expect = read('expect', isTextOf(isDuration), 'days, hours or minutes: 2d, 12h or 30m')
  const credential = read('credential', isOneOf('relay', 'token'), 'relay or token')
  const token = read('token', isTextOf(isToken), 'a GitHub token')
  const condition = read('if', isTextOf(isAny), 'an expression')
  const ifError = read('ifError', isOneOf('allow'), '"allow"')
  const verify = given.verify ?? undefined

  for (const name of anyWorkflow ? (['workflow', 'trigger', 'targets', 'batch'] as const) : []) {
    // A batch is one event for one workflow.
    if (given[name] != null) mistakes.push(`"${name}" cannot be combined with "anyWorkflow".`)
  }
  for (const name of anyWorkflow ? [] : (['workflow', 'trigger'] as const)) {
    if (given[name] == null) mistakes.push(`"${name}" is missing.`)
  }
  mistakes.push(...targetMistakes(repository, { workflow, trigger }, targets))
  if (ref !== undefined && dispatch !== 'workflow') {
    mistakes.push('"ref" needs "dispatch": "workflow".')
  }
  if (ifError !== undefined && condition === undefined) mistakes.push('"ifError" needs "if".')
  if (debounce !== undefined) {
    if (batch === undefined) mistakes.push('"debounce" needs "batch".')
    else if (debounce >= batch) mistakes.push('"debounce" must be less than "batch".')
  }
  mistakes.push(...tokenMistakes(credential, token))
  if (condition !== undefined || verify !== undefined) {
    const { claimsMistake } = await rules.loadChecks()
    const mistake = claimsMistake({ if: condition, verify }, rules.publicUrl)
    if (mistake !== undefined) mistakes.push(`${mistake}.`)
  }
  if (mistakes.length > 0) throw invalidEndpoint(mistakes.join(' '))
  if (token === undefined && rules.isAdmin && !rules.hasCredential) {
    // A program that stores an endpoint knows the error by its code, and names its own setting.
    throw new RelayError('credential_required')
  }
  if (!rules.isAdmin) {
    if (targets.length > 0) throw needsRelayKey('the setting "targets"')
    if (anyWorkflow) throw needsRelayKey('the setting "anyWorkflow"')
    if (!token) throw needsRelayKey("the relay's own GitHub credential")
  }
  return {
    ...{ repository, workflow, trigger, dispatch, ref, respond, batch, debounce, expect, ifError },
    targets: targets.length > 0 ? targets : undefined,
    if: condition,
    // `claimsMistake` has found a list of objects.
    verify: verify as readonly JsonObject[] | undefined,
    token: token === undefined ? undefined : new Secret(token),
  }
}

/** The settings as the admin API takes them, with the token, for a change of some of them. */
export function givenSettings(settings: EndpointSettings): Readonly<Record<string, unknown>> {
  const { token, targets, ...others } = settings
  return {
    ...others,
    ...(targets && { targets: targets.map(targetText) }),
    ...(settings.workflow === undefined && { anyWorkflow: true }),
    ...(token && { token: token.reveal() }),
  }
}

/** `octo/shop:orders/webhook` */
export function targetText({ repository, workflow, trigger }: EndpointTarget): string {
  return `${repository}:${workflow}/${trigger}`
}

/** @param hint names each mistake */
export function invalidEndpoint(hint: string): RelayError {
  return new RelayError('invalid_endpoint', { hint })
}

/** @param what a noun */
export function needsRelayKey(what: string): RelayError {
  return new RelayError('not_allowed', {
    message: `${what} needs the relay key`,
    hint: "Run the command on the relay's machine, or set HOOKLINE_RELAY_KEY.",
  })
}

function targetMistakes(
  repository: string,
  { workflow, trigger }: { workflow: string | undefined; trigger: string | undefined },
  targets: readonly EndpointTarget[],
): string[] {
  const mistakes = targets
    .filter((target) => ownerOf(target.repository) !== ownerOf(repository))
    .map((target) => `the target ${targetText(target)} has another owner than the endpoint.`)
  const own = { repository, workflow: workflow ?? '', trigger: trigger ?? '' }
  const all = [own, ...targets].map((target) =>
    targetText({ ...target, repository: target.repository.toLowerCase() }),
  )
  if (new Set(all).size < all.length) mistakes.push('"targets" must name each workflow once.')
  return mistakes
}

function tokenMistakes(
  credential: 'relay' | 'token' | undefined,
  token: string | undefined,
): string[] {
  if (token !== undefined && /^gh[su]_/.test(token)) {
    return ['"token" ends by itself. Use a personal access token (ghp_ or github_pat_).']
  }
  if (credential === 'relay' && token !== undefined) {
    return ['"token" cannot be combined with "credential": "relay".']
  }
  if (credential !== 'token' || token !== undefined) return []
  return ['"token" is missing. A command takes it from HOOKLINE_GITHUB_TOKEN.']
}

const TARGETS_FORM = `a list of at most ${MOST_TARGETS} targets, such as "octo/shop:orders/webhook"`

function isTargetList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.length <= MOST_TARGETS && value.every(isTextOf(isTarget))
}

function isTarget(text: string): boolean {
  const { repository, workflow, trigger } = readTarget(text)
  return isRepository(repository) && isWorkflow(workflow) && isTrigger(trigger)
}

function readTarget(text: string): EndpointTarget {
  const [repository, path] = splitOnce(text, ':')
  const [workflow, trigger] = splitOnce(path, '/')
  return { repository, workflow, trigger }
}

function isTextOf(isValid: (text: string) => boolean): (value: unknown) => value is string {
  return (value): value is string => typeof value === 'string' && isValid(value)
}

function isOneOf<const Word extends string>(...words: readonly Word[]) {
  return (value: unknown): value is Word => words.some((word) => word === value)
}

function isBoolean(value: unknown): value is boolean {
  return typeof value === 'boolean'
}

function isSeconds(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) >= 1 && Number(value) <= MOST_SECONDS
}

function isAny(): boolean {
  return true
}

/** With its extension, GitHub would be asked for `orders.yml.yml`. */
function isWorkflow(text: string): boolean {
  return isWorkflowName(text) && !/\.ya?ml$/i.test(text)
}

function isTrigger(text: string): boolean {
  return /^\w{1,100}$/.test(text)
}

/** https://git-scm.com/docs/git-check-ref-format */
function isRef(text: string): boolean {
  return /^(?![-/.])[^\s~^:?*[\\\p{Cc}]{1,255}$/u.test(text) && !/\.\.|@\{|\/\/|[./]$/.test(text)
}

function isDuration(text: string): boolean {
  return durationSeconds(text) !== undefined
}

function isToken(text: string): boolean {
  return isHeaderSafe(text) && text.length >= SHORTEST_TOKEN && text.length <= LIMITS.tokenLength
}
