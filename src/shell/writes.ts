import { runsVariable } from './commands.ts'
import { withoutPlainMatches } from './plain-patterns.ts'
import { type PlaceholderScript, RANDOM, SET_VARIABLE, shellTree } from './script.ts'
import { NO_WRITES, ShellFlow, type Tainted, type Writes } from './shell-flow.ts'
import { FROM_GITHUB, FROM_WEBHOOK, highest, type Taint, TRUSTED } from './taint-level.ts'

/** Follows a script of a `run:` step. @param isPosixShell whether bash or sh may run it */
export function scriptWrites(
  script: PlaceholderScript,
  isPosixShell: boolean,
  tainted: Tainted,
): Writes {
  const taint = taintRead(script, tainted)
  if (taint === TRUSTED) return NO_WRITES
  const tree = isPosixShell ? shellTree(script.text) : undefined
  return tree ? new ShellFlow(script, tree, tainted).writes(taint) : writesByWords(script, taint)
}

/** A script in another language than that of a POSIX shell. */
export function programWrites(
  script: PlaceholderScript,
  tainted: Tainted,
  taint: Taint = taintRead(script, tainted),
  language = '',
): Writes {
  if (taint === TRUSTED) return NO_WRITES
  const isTainted = (name: string) => tainted.ofVariable(name) > TRUSTED
  const isExecuted = runsVariable(script.text, isTainted, language)
  const whole = { start: 0, end: script.text.trimEnd().length, kind: 'program' as const }
  return { ...writesByWords(script, taint), executed: isExecuted ? [whole] : [] }
}

const OUTPUTS = /GITHUB_OUTPUT\b|::set-output/
const VARIABLES = /GITHUB_(?:ENV|PATH)\b/

/** A name that only a run knows, before `=` or `<<`. */
const UNKNOWN_NAME = /\$\{?[\w.:]+\}?(?:=|<<)|\{\d\}=|["'`](?:=|<<)/

/** For a script that is not parsed: everything that it reads may reach everything that it writes. */
function writesByWords({ text }: PlaceholderScript, taint: Taint): Writes {
  const outputs = OUTPUTS.test(text) ? 'any' : []
  const at = text.search(VARIABLES)
  if (at < 0) return { ...NO_WRITES, taint, outputs }
  const names = [...text.matchAll(SET_VARIABLE)].map(([, name = '']) => name.toLowerCase())
  const variables = names.length > 0 && !UNKNOWN_NAME.test(text) ? names : 'any'
  const isBounded = RANDOM.test(text) && /<<\$/.test(text)
  const unbounded = isBounded ? [] : [{ start: at, end: at + 'GITHUB_ENV'.length }]
  return { ...NO_WRITES, taint, outputs, variables, unbounded }
}

/** The highest taint of the expressions and variables that a script names. */
function taintRead({ text, placeholders }: PlaceholderScript, tainted: Tainted): Taint {
  const words = new Set(text.match(/[A-Za-z_]\w*/g))
  return highest([
    words.has('GITHUB_EVENT_PATH') ? FROM_GITHUB : TRUSTED,
    ...placeholders.map(({ expression }) => tainted.ofExpression(expression)),
    ...[...words].map((word) => tainted.ofVariable(word)),
  ])
}

/** Follows a script of github-script. Its library writes values with random marks around them. */
export function githubScriptWrites(script: PlaceholderScript, tainted: Tainted): Writes {
  const text = withoutPlainMatches(script.text)
  const isPayload = /\bpayload\b/.test(text) && tainted.fields.inScript.test(text)
  const taint = highest([
    taintRead({ ...script, text }, tainted),
    /\bclient_payload\b/.test(text) ? FROM_WEBHOOK : isPayload ? FROM_GITHUB : TRUSTED,
  ])
  if (taint === TRUSTED) return NO_WRITES
  const written = programWrites(script, tainted, taint, 'node')
  const calls = [
    ...script.text.matchAll(/\b(?:addPath|exportVariable)\s*\(\s*(?:(['"`])([^'"`$]*)\1)?/g),
  ]
  const names = calls.flatMap(([, , name]) => name?.toLowerCase() ?? [])
  const unnamed = calls.filter(([, , name]) => name === undefined)
  const isAny = unnamed.length > 0 || written.variables === 'any'
  const spans = unnamed.map(({ index, 0: call }) => ({ start: index, end: index + call.length }))
  return {
    ...written,
    outputs: written.outputs === 'any' ? 'any' : outputsIn(text),
    variables: isAny ? 'any' : [...names, ...written.variables],
    unbounded: [...written.unbounded, ...spans],
  }
}

/** Nothing, a string, number or boolean, or one of two strings. */
const FIXED_VALUE =
  /^\s*(?:[^,;\n]*\?\s*(['"])[^'"]*\1\s*:\s*)?(?:(['"])[^'"]*\2|true|false|null|\d+|(?=[;}]))(?:[^\S\n]*(?:[);}]|\n\s*(?=[\w}/]))|\s*$)/

/** The outputs that a script of github-script does not set to a fixed value. */
function outputsIn(text: string): Writes['outputs'] {
  const calls = text.matchAll(/\bsetOutput\s*\(\s*(?:(['"`])([\w-]+)\1\s*,)?|\breturn\b/g)
  const names = [...calls]
    .filter(({ index, 0: call }) => !FIXED_VALUE.test(text.slice(index + call.length)))
    .map(([call, , name]) => (call === 'return' ? 'result' : name?.toLowerCase()))
  const known = names.filter((name) => name !== undefined)
  return known.length < names.length ? 'any' : known
}
