import * as v from 'valibot'
import type { DoorClaims } from '../../relay/door-claims.ts'
import { SENDERS, senderNamed } from '../../triggers/senders.ts'
import { SCHEMES } from '../../triggers/verify/schemes.ts'
import { settingsJson } from '../../triggers/verify/settings.ts'
import { VERIFY_OPTIONS, type Verification, verifyOption } from '../../triggers/verify.ts'
import { type Problem, UserError } from '../../wire/errors.ts'
import { isObject, tryParseJson } from '../../wire/json.ts'
import { CONDITION_NAMES, checkCondition } from '../../workflow/condition.ts'
import { ExpressionMistake } from '../../workflow/expressions.ts'
import { didYouMean } from '../../workflow/suggestion.ts'

/** What a grant asks of events, as flags. */
export interface DoorOptions {
  readonly if?: string
  readonly verify?: string
  readonly secretEnv?: string
  readonly publicKey?: string
}

/** What a grant asks of events. */
export interface MadeDoor {
  readonly claims: DoorClaims
  /** Whether a secret is among it. */
  readonly isSecret: boolean
  /** What of it may be printed. */
  readonly shown: Readonly<Record<string, unknown>>
}

/**
 * The claims that the flags ask for; `undefined` where they ask for nothing.
 *
 * @throws UserError for a flag that is wrong
 */
export function makeDoor(
  { if: condition, verify, secretEnv, publicKey }: DoorOptions,
  env: Readonly<Record<string, string | undefined>>,
): MadeDoor | undefined {
  if (condition !== undefined) checkIf(condition)
  if (verify === undefined && (secretEnv ?? publicKey) !== undefined) {
    const flag = secretEnv === undefined ? '--public-key' : '--secret-env'
    throw new UserError({ message: `${flag} belongs to --verify, which names the sender` })
  }
  const secret = verify === undefined ? undefined : secretFrom(secretEnv, publicKey, env)
  const entries = verify === undefined ? [] : verificationsOf(verify, secret)
  if (condition === undefined && entries.length === 0) return undefined
  const claimed = entries.map(({ schemes, settings }) => ({
    scheme: schemes.map(({ name }) => name),
    ...settingsJson(settings),
  }))
  const isPublic = publicKey !== undefined
  return {
    claims: {
      ...(condition !== undefined && { if: condition }),
      ...(claimed.length > 0 && { verify: claimed }),
    },
    isSecret: !isPublic && entries.some(({ settings }) => settings.secrets.length > 0),
    shown: {
      ...(condition !== undefined && { if: condition }),
      ...(claimed.length > 0 && { verify: claimed.flatMap(({ scheme }) => scheme) }),
    },
  }
}

function checkIf(condition: string): void {
  // An empty variable of a shell must not let everything through.
  if (condition.trim() === '') {
    throw new UserError({ message: '--if is empty: leave it out for a grant without condition' })
  }
  if (/^\s*\$\{\{/.test(condition)) {
    throw new UserError({ message: '--if is an expression by itself: leave ${{ and }} out' })
  }
  try {
    checkCondition(condition)
  } catch (error) {
    if (!(error instanceof ExpressionMistake)) throw error
    throw new UserError(ifProblem(error.message))
  }
}

/** GitHub's own: https://docs.github.com/actions/reference/workflows-and-actions/expressions#functions */
const FUNCTIONS = ['contains', 'startsWith', 'endsWith', 'format', 'join', 'toJSON', 'fromJSON']

/** @param mistake as the parser of GitHub words it */
function ifProblem(mistake: string): Problem {
  const message = `--if cannot be read: ${mistake}`
  const [, kind, name = ''] = /^Unrecognized (named-value|function): '(.*)'/.exec(mistake) ?? []
  if (kind !== undefined) {
    const known = kind === 'function' ? FUNCTIONS : CONDITION_NAMES
    const hint = didYouMean(name, known)
    const notes = [`${kind === 'function' ? 'functions' : 'names'}: ${known.join(', ')}`]
    return { message, ...(hint && { hint }), notes }
  }
  if (/^Unexpected symbol: '"/.test(mistake)) {
    return { message, hint: "a text stands in single quotes: body.action == 'opened'" }
  }
  if (/^Unexpected symbol: '='/.test(mistake)) {
    return { message, hint: "two values are compared by ==: body.action == 'opened'" }
  }
  return { message, hint: 'it is written as in the "if:" of a job: body.action == \'opened\'' }
}

/** @throws UserError where it is not to be had */
export function secretFrom(
  secretEnv: string | undefined,
  publicKey: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
): string | undefined {
  if (secretEnv !== undefined && publicKey !== undefined) {
    throw new UserError({ message: '--secret-env and --public-key exclude each other' })
  }
  if (secretEnv === undefined) return publicKey
  if (!/^[A-Za-z_]\w*$/.test(secretEnv)) {
    // It is not shown: it may be the secret itself.
    const hint = 'as in --secret-env STRIPE_SECRET: a secret itself would stand in the process list'
    throw new UserError({ message: '--secret-env is not the name of a variable', hint })
  }
  const secret = env[secretEnv]
  if (secret) return secret
  throw new UserError({
    message: `--secret-env: the variable ${secretEnv} is not set`,
    hint: `put the sender's secret into it: export ${secretEnv}=…`,
  })
}

/** Stands for the URL of the request, which the relay alone knows, where a template names it. */
const ANY_URL = 'https://relay.invalid/'

function verificationsOf(text: string, secret: string | undefined): readonly Verification[] {
  const given = /^\s*[[{]/.test(text) ? entriesIn(text) : [namedEntry(text)]
  for (const name of given.flatMap(({ scheme }) => scheme ?? [])) {
    refuse(String(name), SCHEMES.get(String(name))?.needs ?? [])
  }
  const entries = given.map((entry) => ({
    ...entry,
    ...(secret !== undefined && { secret }),
    ...(String(entry.template ?? '').includes('{url}') && { url: ANY_URL }),
  }))
  const checked = v.safeParse(verifyOption(), entries)
  if (!checked.success) {
    const [issue] = checked.issues
    throw new UserError(verifyProblem(issue, secret !== undefined, given))
  }
  return checked.output ?? []
}

function verifyProblem(
  { message, type, path }: v.InferIssue<ReturnType<typeof verifyOption>>,
  hasSecret: boolean,
  given: readonly Record<string, unknown>[],
): Problem {
  const key = String(path?.at(-1)?.key ?? '')
  if (type === 'strict_object' && !VERIFY_OPTIONS.includes(key)) {
    const hint = didYouMean(key, VERIFY_OPTIONS)
    const unknown = `--verify: unknown option ${JSON.stringify(key)}`
    return { message: unknown, ...(hint && { hint }), notes: [message] }
  }
  const names = given.flatMap(({ scheme = [] }) => scheme)
  const needsSecret = names.some((name) => SCHEMES.get(String(name))?.needs.includes('secret'))
  return {
    // The secret has a flag of its own.
    message: `--verify: ${hasSecret ? message.replace(/^"secret" /, 'what was given ') : message}`,
    ...(!hasSecret &&
      needsSecret && { hint: 'give --secret-env NAME, or for a public key --public-key' }),
  }
}

/** @throws UserError for a scheme that the relay cannot judge by a grant */
function refuse(name: string, needs: readonly string[]): void {
  const refusal = refusalAtDoor(name, needs)
  if (refusal === undefined) return
  const hint = 'leave it to the trigger, which verifies it'
  throw new UserError({ message: `--verify: ${refusal}`, hint })
}

/** Why the relay cannot judge a scheme by a grant; `undefined` where it can. */
export function refusalAtDoor(name: string, needs: readonly string[]): string | undefined {
  if (name === 'aws_sns') {
    return 'aws_sns asks Amazon for its certificate, and the relay asks nobody'
  }
  if (!needs.includes('url')) return undefined
  return `${name} signs the URL that it calls, and the grant would stand in it`
}

function entriesIn(text: string): Record<string, unknown>[] {
  const value: unknown = tryParseJson(text)
  const entries = [value].flat()
  if (!entries.every(isObject)) {
    throw new UserError({
      message: '--verify is not JSON',
      hint: 'it is the mapping under `verify:` of the trigger: {"scheme":"hmac","header":"x-sig"}',
    })
  }
  const wrong = entries.some((entry) => 'secret' in entry)
  if (wrong) {
    throw new UserError({
      message: '--verify holds a secret, which every process of this machine could read',
      hint: 'leave it out, and name the variable that holds it: --secret-env NAME',
    })
  }
  return entries.map((entry) => ({ ...entry }))
}

function namedEntry(name: string): Record<string, unknown> {
  const sender = senderNamed(name)
  const scheme = sender?.scheme ?? name
  if (SCHEMES.has(scheme)) return { scheme, ...sender?.options }
  const names = [...new Set([...SENDERS.map((one) => one.name), ...SCHEMES.keys()])]
  const hint = didYouMean(name, names)
  throw new UserError({
    message: `--verify: unknown sender or scheme ${JSON.stringify(name)}`,
    ...(hint && { hint }),
    notes: [`senders and schemes: ${names.join(', ')}`],
  })
}
