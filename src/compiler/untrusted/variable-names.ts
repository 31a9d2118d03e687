import { Lexer } from '@actions/expressions'
import { TokenType } from '@actions/expressions/lexer'

/** Steps that say nothing about what a value is. */
const IDLE = new Set(['on', 'outputs', 'github', 'event', 'tojson', 'fromjson', 'format', 'join'])

/**
 * A name for the variable of an expression: `on.webhook.outputs.body.title` → `WEBHOOK_BODY_TITLE`.
 *
 * @param taken names that something else has already
 */
export function variableName(expression: string, taken: (name: string) => boolean): string {
  const { tokens } = new Lexer(expression.replaceAll(/[\r\n]/g, ' ')).lex()
  const parts = tokens
    .filter(({ type }) => type === TokenType.IDENTIFIER || type === TokenType.STRING)
    .map(({ lexeme }) => lexeme.replaceAll(/[^A-Za-z0-9]+/g, '_').replaceAll(/^_+|_+$/g, ''))
    .filter((part) => part !== '' && !IDLE.has(part.toLowerCase()))
  const words = parts.length > 0 ? parts.slice(0, 4) : ['untrusted', 'text']
  const name = `${/^\d/.test(words[0] ?? '') ? '_' : ''}${words.join('_')}`
    .toUpperCase()
    .slice(0, 60)
  const long = words.length > 1 ? name : `EVENT_${name}` // one word alone may be PATH
  for (let count = 1; ; count++) {
    const candidate = count === 1 ? long : `${long}_${count}`
    if (!taken(candidate)) return candidate
  }
}
