import { findUntrusted } from '../../../src/compiler/untrusted/findings.ts'
import { sourceFile } from './compiled.ts'
import { fillIn } from './evaluate.ts'

/** Text that a sender words. */
export const X = `\${{ on.webhook.outputs.body.x }}`

/** The keys that untrusted text is found under. */
export function flagged(text: string): string[] {
  return findUntrusted(sourceFile(text)).map(({ key }) => key)
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
