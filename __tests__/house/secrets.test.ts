import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from '@jest/globals'
import ts from 'typescript'

/**
 * Names of values that only their owner may know or create. An operator that compares them reveals
 * by its duration how much of a guess was right; `sameText` and `subtle.verify` do not.
 */
const CONFIDENTIAL = /secret|token|password|passphrase|signature|credential|hmac|\bmac\b|digest/i

const EQUALITY = [
  ts.SyntaxKind.EqualsEqualsEqualsToken,
  ts.SyntaxKind.ExclamationEqualsEqualsToken,
  ts.SyntaxKind.EqualsEqualsToken,
  ts.SyntaxKind.ExclamationEqualsToken,
]

/** Comparisons of a confidential value with anything but a literal, one line each. */
function comparisons(path: string, text: string): string[] {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true)
  const found: string[] = []
  const visit = (node: ts.Node): void => {
    if (isComparison(node)) {
      const { line } = file.getLineAndCharacterOfPosition(node.getStart())
      found.push(`${path}:${line + 1} ${node.getText()}`)
    }
    ts.forEachChild(node, visit)
  }
  visit(file)
  return found
}

function isComparison(node: ts.Node): boolean {
  if (ts.isBinaryExpression(node) && EQUALITY.includes(node.operatorToken.kind)) {
    const sides = [node.left, node.right]
    return sides.some(isConfidential) && !sides.some(isLiteral)
  }
  return ts.isCallExpression(node) && isSearchFor(node)
}

/** `list.includes(token)` is a comparison, too. */
function isSearchFor({ expression, arguments: [sought] }: ts.CallExpression): boolean {
  const isSearch =
    ts.isPropertyAccessExpression(expression) &&
    ['includes', 'indexOf', 'localeCompare', 'has'].includes(expression.name.text)
  return isSearch && sought !== undefined && isConfidential(sought)
}

/** Decides by the name: `secret`, `options.token`, `secret.reveal()`. */
function isConfidential(node: ts.Expression): boolean {
  if (ts.isCallExpression(node)) {
    return /\.reveal$/.test(node.expression.getText()) || isConfidential(node.expression)
  }
  if (ts.isPropertyAccessExpression(node)) {
    return CONFIDENTIAL.test(node.name.text) || node.name.text === 'reveal'
  }
  return ts.isIdentifier(node) && CONFIDENTIAL.test(node.text)
}

function isLiteral(node: ts.Expression): boolean {
  return (
    ts.isLiteralExpression(node) ||
    ts.isTypeOfExpression(node) ||
    node.kind === ts.SyntaxKind.NullKeyword ||
    (ts.isIdentifier(node) && node.text === 'undefined')
  )
}

/** Such a name without a secret: a token of YAML. */
const HARMLESS = [
  'MARKS.has(token)',
  'INDICATORS.has(token)',
  // Compares the identity of objects, not their content.
  'known.token !== refused',
  'this.#remaining.has(credential)',
  'other !== token',
  // The name of a variable, a word of a script, and the owner of a lock are not confidential.
  'token === variable',
  'credential === variable',
  'name !== PARAMETER.token',
  'code.indexOf(token)',
  '(await files.read(place)) === token',
  // Keyed hashes, and two tokens that one caller sent: the time of a comparison tells nothing.
  'caller.hashes.includes(tokenHash)',
  'given.token !== own',
  // The name of a credential in a record: `endpoint:<owner>/<name>`, `token:<first 8 of its hash>`.
  'event.credential === credential',
  // The user's own secret on the user's own machine.
  'includes(signature.secret.reveal())',
]

test('nothing confidential is compared by an operator', () => {
  const src = fileURLToPath(new URL('../../src/', import.meta.url))
  const files = readdirSync(src, { recursive: true, encoding: 'utf8' })
  const paths = files.filter((file) => file.endsWith('.ts')).sort()
  const found = paths.flatMap((path) => comparisons(path, readFileSync(src + path, 'utf8')))
  expect(paths.length).toBeGreaterThan(50)
  expect(found.filter((line) => !HARMLESS.some((text) => line.includes(text)))).toEqual([])
})

describe('the guard', () => {
  test.each([
    'secret === presented',
    'presented !== options.token',
    'a.signature == b',
    'secret.reveal() === text',
    'expectedHmac(body) === text',
    'keys.includes(token)',
    'keys.indexOf(request.password)',
    'digest.localeCompare(mac)',
    'known.has(token)',
  ])('sees %s', (comparison) => {
    expect(comparisons('a.ts', `\nif (${comparison}) {}`)).toEqual([`a.ts:2 ${comparison}`])
  })

  test.each([
    'token === undefined',
    'secret === ""',
    'typeof token === "string"',
    'secrets.length === 0',
    'name === scheme',
    'text.includes("token")',
  ])('lets %s pass', (comparison) => {
    expect(comparisons('a.ts', `if (${comparison}) {}`)).toEqual([])
  })
})
