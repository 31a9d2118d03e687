import { code, table } from './table.js'

/** @typedef {import('../../src/lint/rule.ts').Rule} Rule */

const INTRODUCTION = `# What \`check\` finds

\`hookline check\` reads workflow files, those of \`workflows/\` and those in \`.github/workflows/\` that use the action (all of them with \`--all\`), and never runs them. What it finds has an id, which leads here. An error is what cannot mean anything on GitHub; a warning is what may be meant, and \`--strict\` makes errors of those marked so. \`dev\`, \`build\` and \`check\` tell the same.

A comment silences one finding, on the line where what is found (or its key) begins, or on the line above: \`# hookline: ignore[always-true] because …\`. One that silences nothing is told itself. \`--json\` and \`--sarif\` print findings for programs, \`--fix\` mends what is safe for certain.`

/**
 * The page of all rules.
 *
 * @param {readonly Rule[]} rules
 * @param {Readonly<Record<string, string>>} others what is told by no rule, by its id
 */
export function rulesPage(rules, others) {
  const rows = [
    ...rules.map((rule) => [`[${code(rule.id)}](#${rule.id})`, levelOf(rule), rule.finds]),
    ...Object.entries(others).map(([id, finds]) => [`[${code(id)}](#${id})`, '', finds]),
  ]
  const parts = [
    INTRODUCTION,
    '<!-- made by "npm run docs" from src/lint/rules/ -->',
    table(['id', 'level', 'finds'], rows),
    ...rules.map(section),
    ...Object.entries(others).map(([id, finds]) => `## ${id}\n\n${sentence(finds)}.`),
  ]
  return `${parts.join('\n\n')}\n`
}

/** @param {Rule} rule */
function levelOf({ level, isStrict }) {
  return isStrict ? `${level}; error with ${code('--strict')}` : level
}

/** @param {Rule} rule */
function section(rule) {
  const { id, finds, why, fix, red, green } = rule
  return [
    `## ${id}`,
    `**${sentence(finds)}** (${levelOf(rule)}). ${why}`,
    `What to do: ${fix}`,
    `Found:\n\n${block(red)}`,
    `Not found:\n\n${block(green)}`,
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
