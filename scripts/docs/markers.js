/**
 * Puts each part between its markers, `<!-- name:start -->` and `<!-- name:end -->`.
 *
 * @param {string} document
 * @param {Record<string, string>} parts by name
 * @throws when a marker is missing
 */
export function fillIn(document, parts) {
  return Object.entries(parts).reduce(fillInOne, document)
}

/**
 * @param {string} document
 * @param {[name: string, part: string]} part
 */
function fillInOne(document, [name, part]) {
  const start = `<!-- ${name}:start -->`
  const end = `<!-- ${name}:end -->`
  const from = document.indexOf(start)
  const to = document.indexOf(end, from)
  if (from < 0 || to < 0) throw new Error(`no place for "${name}": ${start} … ${end} is missing`)
  return `${document.slice(0, from + start.length)}\n\n${part}\n\n${document.slice(to)}`
}
