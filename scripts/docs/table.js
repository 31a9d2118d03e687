/**
 * @param {readonly string[]} head
 * @param {readonly string[][]} rows
 */
export function table(head, rows) {
  const lines = [head, head.map(() => '---'), ...rows.map((row) => row.map(cell))]
  return lines.map((line) => `| ${line.join(' | ')} |`).join('\n')
}

/** @param {string} text */
function cell(text) {
  return text.trim().replaceAll('|', '\\|').replaceAll('\n', '<br>')
}

/** @param {string} text */
export function code(text) {
  return `\`${text}\``
}
