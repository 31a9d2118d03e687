const SECONDS = { d: 86_400, h: 3600, m: 60 } as const

/** The seconds of `90d`, `12h` or `30m`; `undefined` for anything else. */
export function durationSeconds(text: string): number | undefined {
  const [, count, unit] = /^([1-9]\d{0,4})([dhm])$/.exec(text) ?? []
  if (unit !== 'd' && unit !== 'h' && unit !== 'm') return undefined
  return Number(count) * SECONDS[unit]
}
