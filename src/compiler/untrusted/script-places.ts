import jsTokens, { type Token } from 'js-tokens'

/** How JavaScript reads the place where an expression stands. */
export type ScriptPlace =
  /** A value: outside of every literal. */
  | { readonly kind: 'value' }
  /** Within a template literal, where `${ }` can take its place. */
  | { readonly kind: 'template' }
  | { readonly kind: 'comment' }
  /** Within a quoted string, which is to become a template literal. Offsets are the script's. */
  | { readonly kind: 'string'; readonly start: number; readonly end: number }

/**
 * How JavaScript reads the places where expressions stand, in their order; `undefined` where the
 * value would be code, or that is not certain.
 *
 * @param script with a name such as `expression_0` in place of each expression
 */
export function scriptPlaces(
  script: string,
  placeholders: readonly string[],
): (ScriptPlace | undefined)[] {
  const tokens = located(script)
  const evaluates = tokens.some(({ value }) => EVALUATING.has(value))
  return placeholders.map((placeholder) =>
    evaluates ? undefined : placeOf(tokens, script.indexOf(placeholder), placeholder),
  )
}

/** Functions that read a text as code, or hand it to a shell. */
const EVALUATING = new Set(['eval', 'Function', 'exec', 'execSync', 'import', 'require', 'vm'])

interface Located {
  readonly type: Token['type']
  readonly value: string
  readonly start: number
  readonly end: number
}

function located(script: string): Located[] {
  let at = 0
  return [...jsTokens(script)].map(({ type, value }) => {
    const start = at
    at += value.length
    return { type, value, start, end: at }
  })
}

function placeOf(
  tokens: readonly Located[],
  at: number,
  placeholder: string,
): ScriptPlace | undefined {
  const index = tokens.findIndex(({ start, end }) => at >= start && at < end)
  const token = tokens[index]
  if (!token) return undefined
  if (/Comment$/.test(token.type)) return { kind: 'comment' }
  if (/Template/.test(token.type)) return isEscaped(token, at) ? undefined : { kind: 'template' }
  const [before, after] = [neighbour(tokens, index, -1), neighbour(tokens, index, 1)]
  if (after?.value === ':' || before?.value === '.') return undefined
  if (token.type === 'StringLiteral') return stringPlace(token, after, before)
  return token.value === placeholder && !isCalledOrNamed(before, after)
    ? { kind: 'value' }
    : undefined
}

/** `a \${{ … }}`: what stands there before is part of the value. */
function isEscaped(token: Located, at: number): boolean {
  return token.value[at - token.start - 1] === '\\'
}

/** A string that can become a template literal: with no escape, and no directive or name of a module. */
function stringPlace(
  { value, start, end }: Located,
  after: Located | undefined,
  before: Located | undefined,
): ScriptPlace | undefined {
  const isDirective = before === undefined || before.value === ';' || before.value === '{'
  const isPlain = !/[\\`]/.test(value) && !value.includes('${')
  const closed = value.length > 1 && value.at(-1) === value[0]
  if (!isPlain || !closed || isDirective || before?.value === 'from') return undefined
  return after?.type === 'StringLiteral' ? undefined : { kind: 'string', start, end }
}

function isCalledOrNamed(before: Located | undefined, after: Located | undefined): boolean {
  if (['const', 'let', 'var', 'function', 'class', 'new'].includes(before?.value ?? '')) return true
  return ['=', '=>', '(', '++', '--', '`'].includes(after?.value ?? '')
}

function neighbour(tokens: readonly Located[], index: number, by: number): Located | undefined {
  for (let at = index + by; tokens[at]; at += by) {
    const token = tokens[at]
    if (token && !/^(WhiteSpace|LineTerminatorSequence|.*Comment)$/.test(token.type)) return token
  }
  return undefined
}
