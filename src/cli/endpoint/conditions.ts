import type { Command } from 'commander'
import * as v from 'valibot'
import type { FoundTrigger } from '../../engine/all-workflows.ts'
import { senderNamed } from '../../triggers/senders.ts'
import { settingsJson } from '../../triggers/verify/scheme.ts'
import { SCHEME_NAMES, schemeNamed } from '../../triggers/verify/schemes.ts'
import {
  hasWhiteSpaceAround,
  VERIFY_OPTIONS,
  type Verification,
  verifyOption,
} from '../../triggers/verify.ts'
import { type Problem, UsageError, UserError } from '../../wire/errors.ts'
import { isObject, type Json, tryParseJson } from '../../wire/json.ts'
import type { Environment } from '../../wire/settings.ts'
import { CONDITION_NAMES, checkCondition, holds } from '../../workflow/condition.ts'
import { ExpressionMistake } from '../../workflow/expression-text.ts'
import { didYouMean } from '../../workflow/suggestion.ts'
import { variableNamed } from '../flag-values.ts'
import { knownSender } from '../init/sender-workflow.ts'
import { isStandIn } from '../workflows-here.ts'

/** A relay behind a quick tunnel does not know its own URL. */
type ConditionUse = 'endpoint' | 'tunneled endpoint'

/** The flags that set the conditions of an endpoint. */
export interface ConditionOptions {
  readonly if?: string
  /** `allow`. */
  readonly ifError?: string
  readonly sender?: string
  readonly verify?: string
  readonly secretEnv?: string
  readonly publicKey?: string
}

/** The conditions that the relay checks for each request to an endpoint, as the admin API reads them. */
export interface EndpointClaims {
  readonly if?: string
  readonly ifError?: string
  readonly verify?: readonly { readonly scheme: readonly string[] }[]
}

/**
 * The conditions that the flags set.
 *
 * @throws UserError for an invalid flag
 */
export function conditionsFrom(
  { if: condition, ifError, sender, verify, secretEnv, publicKey }: ConditionOptions,
  env: Environment,
): EndpointClaims {
  if (condition !== undefined) checkIf(condition, ifError)
  checkIfError(condition, ifError)
  if (sender !== undefined && verify !== undefined) {
    throw new UsageError({
      message: '--sender cannot be combined with --verify',
      hint: 'Omit --verify: --sender includes the scheme of the sender.',
    })
  }
  const settings = verificationSettings(sender, verify)
  if (settings === undefined && (secretEnv ?? publicKey) !== undefined) {
    const flag = secretEnv === undefined ? '--public-key' : '--secret-env'
    throw new UsageError({ message: `${flag} needs --sender <name> or --verify <scheme>` })
  }
  const secret = secretFrom(secretEnv, publicKey, env)
  const entries = settings === undefined ? [] : verificationsOf(settings, secret)
  const claimed = entries.map(({ schemes, settings }) => ({
    scheme: schemes.map(({ name }) => name),
    ...settingsJson(settings),
  }))
  return {
    ...(condition !== undefined && { if: condition }),
    ...(ifError !== undefined && { ifError }),
    ...(claimed.length > 0 && { verify: claimed }),
  }
}

function checkIf(condition: string, ifError: string | undefined): void {
  // A shell passes an unset variable as an empty value, which must not forward every request.
  if (condition.trim() === '') {
    throw new UserError({
      message: '--if is empty',
      hint: 'Omit --if for an endpoint without a condition.',
    })
  }
  if (/^\s*\$\{\{/.test(condition)) {
    throw new UserError({
      message: '--if contains ${{ and }}',
      hint: 'Write the expression alone: --if "body.action == \'opened\'"',
    })
  }
  try {
    checkCondition(condition)
  } catch (error) {
    if (!(error instanceof ExpressionMistake)) throw error
    throw new UserError({ ...ifProblem(error.message), ...frameOf(condition, error) })
  }
  const failing = ifError === undefined ? failingExample(condition) : undefined
  if (failing === undefined) return
  throw new UserError({
    message: `--if cannot be evaluated for ${failing.name}, so the relay would drop the event: ${failing.why}`,
    hint: 'Check the value first, or add --if-error allow to forward such events.',
    notes: ["example: body.payload != null && fromJSON(body.payload).action == 'opened'"],
  })
}

function checkIfError(condition: string | undefined, ifError: string | undefined): void {
  if (ifError === undefined) return
  if (condition === undefined) {
    throw new UsageError({ message: '--if-error needs --if', hint: 'Add --if <expression>.' })
  }
  if (ifError === 'allow') return
  throw new UsageError({
    message: `--if-error: unknown value ${JSON.stringify(ifError)}`,
    hint: 'Use --if-error allow, or omit the flag: the relay then drops such events.',
  })
}

/** Requests that any caller can send, whatever the sender does. */
const EXAMPLE_BODIES: readonly (readonly [name: string, body: Json])[] = [
  ['the body {}', {}],
  ['a form', { a: '1' }],
  ['a request without a body', null],
]

function failingExample(condition: string): { name: string; why: string } | undefined {
  for (const [name, body] of EXAMPLE_BODIES) {
    try {
      holds(condition, { method: 'post', path: 'hook/webhook', query: {}, headers: {}, body })
    } catch (error) {
      return { name, why: error instanceof Error ? error.message : 'unknown error' }
    }
  }
  return undefined
}

/** The expression, with a mark under the position that the message of the parser names. */
function frameOf(condition: string, { message }: ExpressionMistake): Pick<Problem, 'position'> {
  const [, at] = /position (\d+)/.exec(message) ?? []
  if (at === undefined) return {}
  const source = { name: '--if', text: condition, file: '--if' }
  return { position: { source, line: 1, column: Number(at), length: 1 } }
}

/** The functions of GitHub's expressions: https://docs.github.com/actions/reference/workflows-and-actions/expressions#functions */
const FUNCTIONS = ['contains', 'startsWith', 'endsWith', 'format', 'join', 'toJSON', 'fromJSON']

/** @param mistake the message of the expression parser */
function ifProblem(mistake: string): Problem {
  const message = `--if is not a valid expression: ${mistake}`
  const [, kind, name = ''] = /^Unrecognized (named-value|function): '(.*)'/.exec(mistake) ?? []
  if (kind !== undefined) {
    const known = kind === 'function' ? FUNCTIONS : CONDITION_NAMES
    const hint = didYouMean(name, known)
    const notes = [`${kind === 'function' ? 'functions' : 'names'}: ${known.join(', ')}`]
    return { message, ...(hint && { hint }), notes }
  }
  if (/^Unexpected symbol: '"/.test(mistake)) {
    return { message, hint: "Write strings in single quotes: body.action == 'opened'" }
  }
  if (/^Unexpected symbol: '='/.test(mistake)) {
    return { message, hint: "Compare two values with ==: body.action == 'opened'" }
  }
  return { message, hint: 'Write it as in the "if:" of a job: body.action == \'opened\'' }
}

/** @throws UserError if the variable is not set; UsageError if both flags are given */
export function secretFrom(
  secretEnv: string | undefined,
  publicKey: string | undefined,
  env: Environment,
): string | undefined {
  if (secretEnv !== undefined && publicKey !== undefined) {
    throw new UsageError({
      message: '--secret-env cannot be combined with --public-key',
      hint: 'Omit one of them: a scheme verifies either with a secret or with a public key.',
    })
  }
  if (secretEnv === undefined) return publicKey
  const secret = variableNamed('--secret-env', secretEnv, env)
  if (!hasWhiteSpaceAround(secret)) return secret
  throw new UserError({
    message: `--secret-env: the variable ${secretEnv} begins or ends with white space or a line break`,
    hint: `Set it again without: export ${secretEnv}=…`,
  })
}

/** A placeholder for the URL of the request, which only the relay knows. */
const ANY_URL = 'https://relay.invalid/'

type VerifyEntries = readonly Record<string, unknown>[]

function verificationSettings(
  sender: string | undefined,
  verify: string | undefined,
): VerifyEntries | undefined {
  if (sender !== undefined) return [settingsOfSender(sender)]
  if (verify === undefined) return undefined
  return /^\s*[[{]/.test(verify) ? settingsInJson(verify) : [settingsOfScheme(verify)]
}

function verificationsOf(
  given: VerifyEntries,
  secret: string | undefined,
): readonly Verification[] {
  const schemesOf = ({ scheme }: VerifyEntries[number]) =>
    [scheme ?? []].flat().flatMap((name) => schemeNamed(String(name)) ?? [])
  for (const scheme of given.flatMap(schemesOf)) refuseScheme(scheme.name, scheme.needs)
  const signsUrl = (entry: VerifyEntries[number]) =>
    String(entry.signedPayload ?? '').includes('{url}') ||
    schemesOf(entry).some(({ needs }) => needs.includes('url'))
  const entries = given.map((entry) => ({
    ...entry,
    ...(secret !== undefined && { secret }),
    ...(signsUrl(entry) && { url: ANY_URL }),
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
  given: VerifyEntries,
): Problem {
  const key = String(path?.at(-1)?.key ?? '')
  if (type === 'strict_object' && !VERIFY_OPTIONS.includes(key)) {
    const hint = didYouMean(key, VERIFY_OPTIONS)
    const unknown = `--verify: unknown key ${JSON.stringify(key)}`
    return { message: unknown, ...(hint && { hint }), notes: [message] }
  }
  const names = given.flatMap(({ scheme = [] }) => scheme)
  const needsSecret = names.some((name) => schemeNamed(String(name))?.needs.includes('secret'))
  return {
    // A secret comes from --secret-env or --public-key, so that the message does not name the key.
    message: `--verify: ${hasSecret ? message.replace(/^"secret" /, 'the secret or public key ') : message}`,
    ...(!hasSecret &&
      needsSecret && { hint: 'Add --secret-env <name>, or --public-key <key> for a public key.' }),
  }
}

/** @throws UserError for a scheme that the relay cannot verify */
function refuseScheme(name: string, needs: readonly string[]): void {
  const refusal = relayRefusal(name, needs, 'endpoint')
  if (refusal === undefined) return
  const hint = 'Omit it, and set "verify" in the trigger: the workflow then verifies the signature.'
  throw new UserError({ message: `--verify: ${refusal}`, hint })
}

/** Why the relay cannot verify a scheme; `undefined` if it can. */
function relayRefusal(
  name: string,
  needs: readonly string[],
  use: ConditionUse,
): string | undefined {
  if (name === 'aws-sns') {
    return 'aws-sns needs a certificate from Amazon, which the relay does not download'
  }
  if (use === 'endpoint' || !needs.includes('url')) return undefined
  return `${name} signs the URL that it calls, which changes with the tunnel`
}

function settingsInJson(text: string): VerifyEntries {
  const value: unknown = tryParseJson(text)
  const entries = [value].flat()
  if (!entries.every(isObject)) {
    throw new UserError({
      message: '--verify is not JSON',
      hint: 'Write the "verify" mapping of the trigger: {"scheme":"hmac","header":"x-sig"}',
    })
  }
  const wrong = entries.some((entry) => 'secret' in entry)
  if (wrong) {
    throw new UserError({
      message: '--verify contains a secret, which every process of this machine can read',
      hint: 'Remove "secret", and name the variable that holds it: --secret-env <name>',
    })
  }
  return entries.map((entry) => ({ ...entry }))
}

function settingsOfScheme(scheme: string): Record<string, unknown> {
  if (schemeNamed(scheme)) return { scheme }
  const isSender = senderNamed(scheme) !== undefined
  const hint = isSender ? `Use --sender ${scheme}.` : didYouMean(scheme, SCHEME_NAMES)
  throw new UserError({
    message: `--verify: unknown scheme ${JSON.stringify(scheme)}`,
    ...(hint && { hint }),
    notes: [`schemes: ${SCHEME_NAMES.join(', ')}`],
  })
}

function settingsOfSender(sender: string): Record<string, unknown> {
  const { name, scheme = name, options } = knownSender(sender)
  return { scheme, ...options }
}

/** Why only the workflow verifies the signature, although the relay could. */
export const VERIFIABLE_LATER =
  'the signature. To verify it at the relay too, export its secret here, or add --secret-env <name>.'

/**
 * The conditions of a trigger that an endpoint has too: `verify`, if the secret is set; and one line for each
 * condition that only the workflow can check, with the reason.
 *
 * @param secret in place of the secret that the file names
 */
export function conditionsOfTrigger(
  { signatures }: FoundTrigger,
  secret: string | undefined,
  use: ConditionUse,
): { readonly conditions: EndpointClaims | undefined; readonly inWorkflow: readonly string[] } {
  if (signatures.length === 0) return { conditions: undefined, inWorkflow: [] }
  const entries = signatures.map(({ scheme, secret: own, options = {} }) => ({
    ...options,
    scheme: [scheme],
    secret: [secret ?? own.reveal()],
  }))
  const onlyInWorkflow = (line: string) => ({ conditions: undefined, inWorkflow: [line] })
  for (const { scheme, ...options } of entries) {
    const [name = ''] = scheme
    const refusal = relayRefusal(name, schemeNamed(name)?.needs ?? [], use)
    if (refusal) return onlyInWorkflow(`verify: ${refusal}`)
    const signedPayload = String('signedPayload' in options ? options.signedPayload : '')
    if (use !== 'endpoint' && signedPayload.includes('{url}')) {
      return onlyInWorkflow(
        'verify: its signedPayload contains {url}, which only the workflow knows',
      )
    }
  }
  if (secret === undefined && signatures.some(({ secret: own }) => isStandIn(own.reveal()))) {
    return onlyInWorkflow(VERIFIABLE_LATER)
  }
  return { conditions: { verify: entries }, inWorkflow: [] }
}

/** Adds the flags of the conditions that the relay checks. */
export function withConditionOptions(command: Command): Command {
  return command
    .option('--if <expression>', 'forward only requests for which the expression is true')
    .option('--if-error <allow>', 'forward also requests for which --if fails')
    .option('--sender <name>', 'verify signatures of this sender')
    .option('--verify <scheme>', 'verify signatures of this scheme, or mapping as JSON')
    .option('--secret-env <name>', "variable with the sender's secret")
    .option('--public-key <key>', "the sender's public key, in place of a secret")
}
