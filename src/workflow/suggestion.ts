import leven, { closestMatch } from 'leven'

/** `did you mean "post"?` for the nearest allowed name, if it is near enough for a typo. */
export function didYouMean(found: string, allowed: readonly string[]): string | undefined {
  const nearest = nearestName(found, allowed)
  return nearest === undefined ? undefined : `did you mean "${nearest}"?`
}

/** The allowed name that a string is probably a typo of. */
export function nearestName(found: string, allowed: readonly string[]): string | undefined {
  const maxDistance = Math.max(2, Math.floor(found.length / 3))
  const lower = found.toLowerCase()
  return (
    allowed.find((name) => name.toLowerCase() === lower) ??
    closestMatch(lower, [...allowed], { maxDistance })
  )
}

/**
 * The name that a string is certainly a typo of, even where other names may be valid: one letter
 * differs, or two letters are swapped. A plural is no typo of its singular.
 */
export function slipOf(found: string, names: readonly string[]): string | undefined {
  const lower = found.toLowerCase()
  const sorted = (text: string) => [...text.toLowerCase()].sort().join('')
  return names.find((name) => {
    const other = name.toLowerCase()
    if (lower.length < 4 || `${lower}s` === other || lower === `${other}s`) return false
    return (
      leven(lower, other) === 1 || (leven(lower, other) === 2 && sorted(lower) === sorted(other))
    )
  })
}

const LONGEST_SHOWN = 60

/** A string of a workflow file for a message: on one line, and shortened if long. */
export function quoted(text: string): string {
  return JSON.stringify(text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}…` : text)
}
