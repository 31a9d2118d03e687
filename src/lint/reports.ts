import type { Finding } from '../wire/errors.ts'
import { problemWithoutTokens } from '../wire/tokens.ts'
import { OTHER_FINDINGS, pageOf } from './lint.ts'
import { RULES } from './rules.ts'

/** A finding for a program to read. Lines and columns count from 1; the end stands behind the last character. */
export function findingJson(finding: Finding) {
  const { code, level, position, message, hint } = problemWithoutTokens(finding)
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
  }
}

/**
 * Findings as SARIF 2.1.0, as code scanning takes them.
 *
 * Source: https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html
 */
export function sarifLog(findings: readonly Finding[], version: string) {
  const ofRules = new Set(RULES.map(({ id }) => id))
  const others = Object.entries(OTHER_FINDINGS)
    .filter(([id]) => !ofRules.has(id))
    .map(([id, finds]) => {
      return { id, finds, why: `${finds}.`, fix: '', level: 'warning' as const }
    })
  const rules = [...RULES, ...others]
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
            rules: rules.map(({ id, finds, why, fix, level }) => ({
              id,
              shortDescription: { text: finds },
              fullDescription: { text: why },
              help: { text: `${why} ${fix}`.trim(), markdown: `${why} ${fix}\n\n${pageOf(id)}` },
              helpUri: pageOf(id),
              defaultConfiguration: { level },
            })),
          },
        },
        columnKind: 'utf16CodeUnits',
        results: findings.map((finding) => resultOf(finding, rules)),
      },
    ],
  }
}

/** A path from the root as a reference of RFC 3986. */
function uriOf(file: string): string {
  // Half of a surrogate pair, as a file name of Windows may have one, is no character.
  const text = new TextDecoder().decode(new TextEncoder().encode(file))
  return text.split('/').map(encodeURIComponent).join('/')
}

function resultOf(finding: Finding, rules: readonly { readonly id: string }[]) {
  const { code, level, message, hint, position } = problemWithoutTokens(finding)
  // Code scanning takes no result without a place.
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
    message: { text: hint ? `${message}: ${hint}` : message },
    locations: [{ physicalLocation: { artifactLocation, ...(region && { region }) } }],
  }
}
