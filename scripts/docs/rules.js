import { code } from './table.js'

/** @typedef {import('../../src/lint/rule.ts').Rule} Rule */

const INTRODUCTION = `# What \`check\` finds

\`hookline check\` reads the files of \`workflows/\` and those in \`.github/workflows/\` that use the action (with \`--all\` the others too), and runs none. What it finds is an error, which cannot mean anything on GitHub, or a warning where that is said. Of the examples, lines with \`-\` are found, those with \`+\` are good.

A comment silences a finding on its line (or that of its key), or on the line below: \`# hookline: ignore[always-true] because …\`. \`--json\` and \`--sarif\` print findings for programs, \`--fix\` mends what is safe for certain.`

/**
 * The page of all rules.
 *
 * @param {readonly Rule[]} rules
 */
export function rulesPage(rules) {
  const parts = [
    INTRODUCTION,
    '<!-- made by "npm run docs" from src/lint/rules/ -->',
    ...rules.map(section),
    '## unused-ignore\n\nA `# hookline: ignore[…]` that silences nothing, or names no rule.',
    '## mistakes\n\nWhat no rule finds has an id too, and cannot be silenced: `check --sarif` prints all ids with what each is for.',
  ]
  return `${parts.join('\n\n')}\n`
}

/** @param {Rule} rule */
function section({ id, level, isStrict, finds, why, fix, red, green }) {
  const strict = isStrict ? `, error with ${code('--strict')}` : ''
  const counts = level === 'error' ? '' : ` (${level}${strict})`
  return [
    `## ${id}`,
    `**${sentence(finds)}**${counts}. ${why} ${fix}`,
    `\`\`\`diff\n${signed('-', red)}\n${signed('+', green)}\n\`\`\``,
  ].join('\n\n')
}

/** @param {string} text */
function sentence(text) {
  const [first = '', ...rest] = text
  return first === '`' ? text : first.toUpperCase() + rest.join('')
}

/** As the lines of a change have it. @param {string} sign @param {string} text */
function signed(sign, text) {
  return text.trimEnd().replaceAll(/^/gm, sign)
}
