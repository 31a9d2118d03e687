import { code } from './table.js'

/** @typedef {import('../../src/lint/rule.ts').Rule} Rule */

const INTRODUCTION = `# What \`check\` finds

\`hookline check\` reads the files of \`workflows/\` and those in \`.github/workflows/\` that use the action (all of them with \`--all\`), and runs none. An error cannot mean anything on GitHub; a warning may be meant, and \`--strict\` makes an error of it where that is said here. \`dev\` and \`build\` tell the same.

A comment silences one finding, on the line where it (or its key) begins or on the line above: \`# hookline: ignore[always-true] because …\`. \`--json\` and \`--sarif\` print findings for programs, \`--fix\` mends what is safe for certain.`

/**
 * The page of all rules.
 *
 * @param {readonly Rule[]} rules
 * @param {Readonly<Record<string, string>>} mistakes what is told by no rule, by its id
 */
export function rulesPage(rules, mistakes) {
  const ids = Object.keys(mistakes).map(code).join(', ')
  const parts = [
    INTRODUCTION,
    '<!-- made by "npm run docs" from src/lint/rules/ -->',
    ...rules.map(section),
    '## idle-ignore\n\nA `# hookline: ignore[…]` that silences nothing, or names no rule.',
    `## mistakes\n\nWhat no rule finds has an id too, and cannot be silenced: ${ids}.`,
  ]
  return `${parts.join('\n\n')}\n`
}

/** @param {Rule} rule */
function section({ id, level, isStrict, finds, why, fix, red, green }) {
  const counts = isStrict ? `${level}; error with ${code('--strict')}` : level
  return [
    `## ${id}`,
    `**${sentence(finds)}** (${counts}). ${why} ${fix}`,
    `Found:\n\n${block(red)}`,
    `Good:\n\n${block(green)}`,
  ].join('\n\n')
}

/** @param {string} text */
function sentence(text) {
  const [first = '', ...rest] = text
  return first === '`' ? text : first.toUpperCase() + rest.join('')
}

/** @param {string} text */
function block(text) {
  return `\`\`\`yaml\n${text.trimEnd()}\n\`\`\``
}
