import jsTokens, { type Token } from 'js-tokens'
import { wordSet } from '../../wire/words.ts'
import type { Edit } from '../../workflow/spans.ts'
import type { Placeholder, PlaceholderScript } from './script.ts'

/** How a variable replaces an expression of a script of github-script. */
interface ScriptReplacement {
  /** Whether the variable contains JSON, so that the value keeps its type. */
  readonly isJson: boolean
  /** Edits of the script's value, given the variable's name; several expressions may share one. */
  readonly edits: (variable: string) => readonly Edit[]
}

/**
 * How a variable can replace each expression of a script: only if the expression is a value, or a part
 * of a string, and the script calls only functions that read strings as data. `undefined` otherwise.
 */
export function safeInJavaScript(script: PlaceholderScript): (ScriptReplacement | undefined)[] {
  const tokens = located(script.text)
  const code = tokens.filter(
    ({ type }) => !/^(?:WhiteSpace|LineTerminatorSequence|.*Comment)$/.test(type),
  )
  const isSafe = code.every((_, index) => isKnown(code, index))
  const at = new Map(
    tokens
      .filter(({ value }) => value.includes('hookline_expression_'))
      .flatMap((token) =>
        script.placeholders
          .filter((one) => one.at >= token.start && one.at < token.end)
          .map((one) => [one, token] as const),
      ),
  )
  return script.placeholders.map((placeholder) => {
    const token = at.get(placeholder)
    if (!token) return undefined
    if (/Comment$/.test(token.type))
      return { isJson: false, edits: (name) => atBraces(placeholder, name) }
    return isSafe ? replacementIn(script, code, token, placeholder) : undefined
  })
}

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

/** Functions that read strings as data. */
const FUNCTIONS = wordSet(
  'Boolean Date Number String isNaN parseFloat parseInt if for while switch catch return await of in Error URL Set Map',
)

/**
 * Methods that read strings as data: of strings, lists, `core`, `console`, `JSON` and
 * `github.rest`.
 */
const METHODS = wordSet(
  `at concat debug endsWith entries error every filter find findIndex flat flatMap forEach fromEntries
  includes indexOf info isArray join keys lastIndexOf log map match max min notice padEnd padStart parse
  push reduce repeat reverse round setFailed setOutput slice some sort split startsWith stringify
  substring test toISOString toLowerCase toString toUpperCase trim trimEnd trimStart values warning warn
  addComment addLabels create createComment createLabel createOrUpdateFileContents createWorkflowDispatch
  get getContent list listComments listForRepo listLabelsOnIssue lock paginate removeLabel update
  updateComment`,
)

/** Names by which a script loads or evaluates code. */
const FORBIDDEN = wordSet(
  'import require eval Function constructor prototype __proto__ globalThis global exec child_process this with',
)

/** Whether a token can only pass a string on. */
function isKnown(code: readonly Located[], index: number): boolean {
  const [before, token, after] = [code[index - 1], code[index], code[index + 1]]
  if (!token) return true
  const isName = token.type === 'IdentifierName' || token.type === 'PrivateIdentifier'
  if (isName && FORBIDDEN.has(token.value)) return false
  if (token.value === 'process') return after?.value === '.' && code[index + 2]?.value === 'env'
  if (/Template/.test(token.type)) return !isTagged(token, before)
  if (token.type === 'Invalid') return false
  return token.value !== '(' || isKnownCall(before, code[index - 2])
}

/** `(` after a value calls it; otherwise it groups. */
function isKnownCall(name: Located | undefined, before: Located | undefined): boolean {
  if (!name) return true
  if (name.type !== 'IdentifierName')
    return ![')', ']', '}', '?.'].includes(name.value) && !/Template/.test(name.type)
  return before?.value === '.' || before?.value === '?.'
    ? METHODS.has(name.value)
    : FUNCTIONS.has(name.value)
}

function isTagged(token: Located, before: Located | undefined): boolean {
  if (!/^(?:NoSubstitutionTemplate|TemplateHead)$/.test(token.type) || !before) return false
  if (before.type !== 'IdentifierName') return before.value === ')' || before.value === ']'
  return !['return', 'await', 'case', 'of', 'in', 'typeof'].includes(before.value)
}

function replacementIn(
  script: PlaceholderScript,
  code: readonly Located[],
  token: Located,
  placeholder: Placeholder,
): ScriptReplacement | undefined {
  const index = code.indexOf(token)
  const [before, after] = [code[index - 1], code[index + 1]]
  const inTemplate = (name: string) => atBraces(placeholder, `\${process.env.${name}}`)
  if (/Template/.test(token.type)) {
    return token.value[placeholder.at - token.start - 1] === '\\'
      ? undefined
      : { isJson: false, edits: inTemplate }
  }
  if (after?.value === ':' || before?.value === '.') return undefined
  if (token.type === 'StringLiteral') {
    // Without escapes, a string can become a template literal, unless it is a directive.
    const { value, start, end } = token
    const isDirective = before === undefined || before.value === ';' || before.value === '{'
    const isPlain = !/[\\`]/.test(value) && !value.includes('${')
    const isClosed = value.length > 1 && value.at(-1) === value[0]
    if (!isPlain || !isClosed || isDirective || after?.type === 'StringLiteral') return undefined
    const quotes = [start, end - 1].map((quote) => {
      const at = script.toValue(quote)
      return { start: at, end: at + 1, text: '`' }
    })
    return { isJson: false, edits: (name) => [...inTemplate(name), ...quotes] }
  }
  const isNamed = ['const', 'let', 'var', 'function', 'class', 'new'].includes(before?.value ?? '')
  const isCalled = ['=', '=>', '(', '++', '--', '`'].includes(after?.value ?? '')
  if (token.value !== placeholder.name || isNamed || isCalled) return undefined
  return { isJson: true, edits: (name) => atBraces(placeholder, `JSON.parse(process.env.${name})`) }
}

function atBraces({ braces }: Placeholder, text: string): Edit[] {
  return [{ ...braces, text }]
}
