import { MAY_EXECUTE, runsVariable } from './commands.ts'
import { type PlaceholderScript, shellTree } from './script.ts'
import { NO_WRITES, PATHS, ShellFlow, type Tainted, type Writes } from './shell-flow.ts'
import { FROM_GITHUB, FROM_WEBHOOK, highest, type Taint, TRUSTED } from './taint-level.ts'

const OUTPUTS = /GITHUB_OUTPUT\b|::set-output/
const VARIABLES = /GITHUB_(?:ENV|PATH)\b/

/** Follows a script of a `run:` step. @param isPosixShell whether bash or sh may run it */
export function scriptWrites(
  script: PlaceholderScript,
  isPosixShell: boolean,
  tainted: Tainted,
): Writes {
  const { text, placeholders } = script
  const taint = taintRead(script, tainted)
  const isNamed = placeholders.some(({ expression }) => PATHS.test(expression))
  const isWriting = isNamed || OUTPUTS.test(text) || VARIABLES.test(text)
  if (taint === TRUSTED || (!isWriting && !MAY_EXECUTE.test(text))) return NO_WRITES
  const tree = isPosixShell ? shellTree(text) : undefined
  if (tree) return new ShellFlow(script, tree, tainted).writes(taint)
  return isWriting ? writesByWords(script, taint) : NO_WRITES
}

/** A script in another language than that of a POSIX shell. */
export function programWrites(script: PlaceholderScript, tainted: Tainted): Writes {
  const { text } = script
  const taint = taintRead(script, tainted)
  if (taint === TRUSTED) return NO_WRITES
  const isWriting = OUTPUTS.test(text) || VARIABLES.test(text)
  const written = isWriting ? writesByWords(script, taint) : NO_WRITES
  return { ...written, executed: executedIn(script, tainted) }
}

function executedIn({ text }: PlaceholderScript, tainted: Tainted, language?: string) {
  const isTainted = (name: string) => tainted.ofVariable(name) > TRUSTED
  const span = { start: 0, end: text.trimEnd().length, kind: 'program' as const }
  return runsVariable(text, isTainted, language) ? [span] : []
}

/** For a script that cannot be parsed: everything that it reads may reach everything that it writes. */
function writesByWords({ text }: PlaceholderScript, taint: Taint): Writes {
  const at = text.search(VARIABLES)
  const unbounded = at < 0 ? [] : [{ start: at, end: at + 'GITHUB_ENV'.length }]
  const outputs = OUTPUTS.test(text) ? 'any' : []
  return { ...NO_WRITES, taint, outputs, variables: at < 0 ? [] : 'any', unbounded }
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
  const { text } = script
  const isPayload = /\bpayload\b/.test(text) && tainted.fields.inScript.test(text)
  const taint = highest([
    taintRead(script, tainted),
    /\bclient_payload\b/.test(text) ? FROM_WEBHOOK : isPayload ? FROM_GITHUB : TRUSTED,
  ])
  if (taint === TRUSTED) return NO_WRITES
  const exported = [...text.matchAll(/\bexportVariable\s*\(\s*(?:(['"])(\w+)\1)?/g)]
  const names = exported.map(([, , name]) => name?.toLowerCase())
  const known = names.filter((name) => name !== undefined)
  const unbounded = [...text.matchAll(/\b(?:addPath|exportVariable)\s*\(\s*(?!(['"`])[^'"`$]*\1)/g)]
  return {
    taint,
    outputs: outputsIn(text),
    variables: known.length < names.length || VARIABLES.test(text) ? 'any' : known,
    unbounded: unbounded.map(({ index, 0: call }) => ({ start: index, end: index + call.length })),
    executed: executedIn(script, tainted, 'node'),
  }
}

/** A string, number or boolean, or one of two strings. */
const FIXED_VALUE =
  /^\s*(?:[^,;\n]*\?\s*(['"])[^'"]*\1\s*:\s*)?(?:(['"])[^'"]*\2|true|false|\d+)\s*\)/

/** The outputs that a script of github-script does not set to a fixed value. */
function outputsIn(text: string): Writes['outputs'] {
  const calls = [...text.matchAll(/\bsetOutput\s*\(\s*(?:(['"`])([\w-]+)\1\s*,)?/g)]
  const names = calls
    .filter(({ index, 0: call }) => !FIXED_VALUE.test(text.slice(index + call.length)))
    .map(([, , name]) => name?.toLowerCase())
  const known = names.filter((name) => name !== undefined)
  return known.length < names.length || OUTPUTS.test(text) ? 'any' : [...known, 'result']
}
