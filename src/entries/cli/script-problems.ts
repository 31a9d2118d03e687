import { Script } from 'node:vm'
import { isMap } from 'yaml'
import type { SourceFile, SourceTrigger } from '../../compiler/source-file.ts'
import type { Problem } from '../../wire/errors.ts'
import { hasExpression } from '../../workflow/expressions.ts'

/** The options of `config` that are JavaScript. */
const SCRIPTS = ['filterScript', 'sortScript', 'format'] as const

/** Scripts that would not compile at run time. One with an expression in it is not known before. */
export function scriptProblems({ triggers }: SourceFile): Problem[] {
  return triggers.flatMap((trigger) =>
    SCRIPTS.flatMap((option) => {
      const mistake = syntaxMistake(written(trigger, option))
      if (mistake === undefined) return []
      const message = `config.${option}: does not compile: ${mistake}`
      return [{ message, position: trigger.positionOf(['config', option]) }]
    }),
  )
}

/** As the file has it, before expressions are filled in; empty when it is not there. */
function written({ nodes: { options } }: SourceTrigger, option: string): string {
  const text = isMap(options) ? options.getIn(['config', option]) : undefined
  return typeof text === 'string' && !hasExpression(text) ? text : ''
}

function syntaxMistake(body: string): string | undefined {
  try {
    new Script(`(function () {\n${body}\n})`)
    return undefined
  } catch (error) {
    return (error as Error).message // of whichever realm, the engine throws nothing else
  }
}
