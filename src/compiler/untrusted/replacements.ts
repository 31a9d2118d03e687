import type { Edit } from '../spans.ts'
import type { Language } from './language.ts'
import type { Script } from './script.ts'
import { type ScriptPlace, scriptPlaces } from './script-places.ts'
import { type Quoting, shellPlaces } from './shell-places.ts'

/** How one expression of a script is replaced by a variable. */
export interface Replacement {
  /** What the variable holds, given the expression. */
  readonly holds: (expression: string) => string
  /** Edits of the value, given the variable's name; several expressions may share one. */
  readonly edits: (variable: string) => readonly Edit[]
}

/** For each expression of a script, in order; `undefined` where only a person can mend it. */
export function replacements(script: Script, language: Language): (Replacement | undefined)[] {
  const names = script.placeholders.map(({ name }) => name)
  if (language === 'shell') {
    return shellPlaces(script.text, names).map(
      (quoting, at) => quoting && shellReplacement(script, at, quoting),
    )
  }
  return scriptPlaces(script.text, names).map(
    (place, at) => place && scriptReplacement(script, at, place),
  )
}

const IN_SHELL: Readonly<Record<Quoting, (variable: string) => string>> = {
  none: (variable) => `"\${${variable}}"`,
  double: (variable) => `\${${variable}}`,
  single: (variable) => `'"\${${variable}}"'`,
  verbatim: (variable) => `\${${variable}}`,
}

function shellReplacement(script: Script, at: number, quoting: Quoting): Replacement {
  return { holds: asIs, edits: (variable) => atBraces(script, at, IN_SHELL[quoting](variable)) }
}

function asIs(expression: string): string {
  return expression.trim()
}

/** A value keeps its type by way of JSON. */
function asJson(expression: string): string {
  const text = expression.trim()
  return /^toJSON\([^()]*\)$/i.test(text) ? text : `toJSON(${text})`
}

function scriptReplacement(script: Script, at: number, place: ScriptPlace): Replacement {
  const inTemplate = (variable: string) => atBraces(script, at, `\${process.env.${variable}}`)
  switch (place.kind) {
    case 'value':
      return {
        holds: asJson,
        edits: (variable) => atBraces(script, at, `JSON.parse(process.env.${variable})`),
      }
    case 'comment':
      return { holds: asIs, edits: (variable) => atBraces(script, at, variable) }
    case 'template':
      return { holds: asIs, edits: inTemplate }
    case 'string':
      return {
        holds: asIs,
        edits: (variable) => [...inTemplate(variable), ...backticks(script, place)],
      }
  }
}

function backticks(script: Script, { start, end }: { start: number; end: number }): Edit[] {
  return [start, end - 1].map((quote) => {
    const at = script.toValue(quote)
    return { start: at, end: at + 1, text: '`' }
  })
}

function atBraces({ placeholders }: Script, at: number, text: string): Edit[] {
  const braces = placeholders[at]?.braces
  return braces ? [{ ...braces, text }] : []
}
