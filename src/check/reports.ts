import type { Finding } from '../wire/errors.ts'
import { problemWithoutTokens } from '../wire/tokens.ts'
import { OTHER_FINDINGS, pageOf } from './check.ts'
import { levelWithoutStrict } from './rule.ts'
import { RULES } from './rules.ts'

/** A finding as JSON. Lines and columns count from 1; the end is after the last character. */
export function findingJson(finding: Finding) {
  const { code, level, position, message, hint, notes = [] } = problemWithoutTokens(finding)
  return {
    id: code,
    level,
    file: position?.source.file ?? null,
    line: position?.line ?? null,
    column: position?.column ?? null,
    endLine: position?.line ?? null,
    endColumn: position ? position.column + position.length : null,
    message,
    fix: hint ?? null,
    notes,
  }
}

/**
 * Findings as SARIF 2.1.0, in the form that GitHub code scanning accepts.
 *
 * Source: https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html
 */
export function sarifLog(findings: readonly Finding[], version: string) {
  const others = Object.entries(OTHER_FINDINGS).map(([id, title]) => ({
    id,
    title,
    reason: `${title}.`,
    remedy: '',
    level: 'warning' as const,
  }))
  const known = RULES.map((rule) => ({
    id: rule.id,
    ...rule.page,
    level: levelWithoutStrict(rule),
  }))
  // A rule describes its findings better than a mistake with the same id.
  const rules = [...new Map([...others, ...known].map((one) => [one.id, one])).values()]
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: 'hookline',
            semanticVersion: version,
            informationUri: 'https://github.com/hookline/hookline',
            rules: rules.map(({ id, title, reason, remedy, level }) => ({
              id,
              shortDescription: { text: title },
              fullDescription: { text: reason },
              help: {
                text: `${reason} ${remedy}`.trim(),
                markdown: `${reason} ${remedy}\n\n${pageOf(id)}`,
              },
              helpUri: pageOf(id),
              defaultConfiguration: { level },
            })),
          },
        },
        columnKind: 'utf16CodeUnits',
        results: findings.map((finding) => sarifResult(finding, rules)),
      },
    ],
  }
}

/** A path from the root as a URI reference (RFC 3986). */
function uriOf(file: string): string {
  // A file name of Windows can contain half of a surrogate pair, which is no character.
  const text = new TextDecoder().decode(new TextEncoder().encode(file))
  return text.split('/').map(encodeURIComponent).join('/')
}

function sarifResult(finding: Finding, rules: readonly { readonly id: string }[]) {
  const { code, level, message, hint, notes = [], position } = problemWithoutTokens(finding)
  // Code scanning rejects a result without a location.
  const artifactLocation = { uri: uriOf(position?.source.file ?? '.github/workflows') }
  const region = position && {
    startLine: position.line,
    startColumn: position.column,
    endLine: position.line,
    endColumn: position.column + position.length,
  }
  return {
    ruleId: code,
    ruleIndex: rules.findIndex(({ id }) => id === code),
    level,
    message: { text: [hint ? `${message}: ${hint}` : message, ...notes].join('\n') },
    locations: [{ physicalLocation: { artifactLocation, ...(region && { region }) } }],
  }
}
