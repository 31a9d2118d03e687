import { type Fixed, fixSource } from '../../../src/lint/fix.ts'
import { flowOf } from '../../../src/lint/flow/data-flow.ts'
import { NO_OTHER_FILES, RuleFile } from '../../../src/lint/rule.ts'
import { type UntrustedFinding, untrustedFindings } from '../../../src/lint/untrusted.ts'
import type { ParsedFile } from '../../../src/workflow/nodes.ts'
import { parseYaml } from '../../../src/workflow/yaml.ts'
import { sourceFile } from '../../compiler/support/compiled.ts'
import { fillIn } from '../../compiler/support/evaluate.ts'

/** Text that a sender words. */
export const X = `\${{ on.webhook.outputs.body.x }}`

/** A workflow of GitHub's own, as the lint gets it. */
export function lintedFile(text: string): ParsedFile {
  const file = '.github/workflows/a.yml'
  const source = { name: file, file, text }
  return { source, document: parseYaml(source) }
}

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

/** A file after `--fix`, and the number of findings that are gone. */
export function fixUntrusted({ source }: ParsedFile): {
  readonly text: string
  readonly count: number
} {
  const read = (text: Fixed['source']) =>
    new RuleFile({ source: text, document: parseYaml(text) }, NO_OTHER_FILES)
  const fixed = fixSource(source, read)
  return { text: fixed.source.text, count: fixed.count }
}

/** The findings of a file; the files that it calls are unknown. */
export function findUntrusted(file: ParsedFile): UntrustedFinding[] {
  return untrustedFindings(flowOf(file, undefined))
}
