import { fixSource } from '../../../src/check/fix.ts'
import { NO_OTHER_FILES, RuleFile } from '../../../src/check/rule.ts'
import { untrustedInputs } from '../../../src/check/rules/script-injection.ts'
import { isRunningInput } from '../../../src/check/running-inputs.ts'
import { sourceFile } from '../../compiler/support/compiled.ts'
import { fillIn } from '../../compiler/support/evaluate.ts'

/** Text that a sender words. */
export const X = `\${{ on.webhook.outputs.body.x }}`

/** The keys that untrusted text is found under, in a source. */
export function flagged(text: string): string[] {
  return untrustedInputs(ruleFile(text), isRunningInput).map(({ key }) => key)
}

function ruleFile(text: string): RuleFile {
  const file = sourceFile(text)
  return new RuleFile(file, NO_OTHER_FILES, { source: file })
}

/** A step with a script of several lines. */
export function step(script: string, key = 'run'): string {
  const indent = key === 'run' ? '          ' : '            '
  return `      - ${key}: |\n${script.replaceAll(/^/gm, indent)}`
}

/** A text as GitHub hands it on for a request with this body. */
export function fill(text: string, body: unknown): string {
  return fillIn(text, { on: { webhook: { outputs: { body } } } })
}

/** A source after `--fix`, and the number of findings that are gone. */
export function fixUntrusted({ source: { text } }: Pick<RuleFile['file'], 'source'>): {
  readonly text: string
  readonly count: number
} {
  const source = ruleFile(text).file.source
  const fixed = fixSource(source, (one) => ruleFile(one.text))
  return { text: fixed.source.text, count: fixed.count }
}
