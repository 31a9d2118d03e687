import { code, table } from './table.js'

const { CHANGES } = await import(
  new URL('../../build/relay/delivery/log-lines.js', import.meta.url).href
)

/** The pages that say more. @type {Partial<Record<string, string>>} */
const PAGES = {
  run: '[outcomes](deliveries.md#outcomes)',
  alarm: '[alarms](deliveries.md#alarms)',
}

/** The lines of the log that are not about a request. */
export function changesTable() {
  const rows = Object.entries(CHANGES).map(([change, meaning]) => {
    const page = PAGES[change]
    return [code(change), page ? `${meaning}. See ${page}.` : meaning]
  })
  return table(['`change`', 'meaning'], rows)
}
