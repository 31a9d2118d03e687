import leven, { closestMatch } from 'leven'

/** `did you mean "post"?` for the nearest allowed name, if one is near enough to be a typo of it. */
export function didYouMean(found: string, allowed: readonly string[]): string | undefined {
  const nearest = nearestName(found, allowed)
  return nearest === undefined ? undefined : `did you mean "${nearest}"?`
}

/** The allowed name that a text is a typo of. */
export function nearestName(found: string, allowed: readonly string[]): string | undefined {
  const maxDistance = Math.max(2, Math.floor(found.length / 3))
  const lower = found.toLowerCase()
  return (
    allowed.find((name) => name.toLowerCase() === lower) ??
    closestMatch(lower, [...allowed], { maxDistance })
  )
}

/**
 * The name that a text surely is a slip of, where other names may be right: one letter is wrong, or two
 * are swapped. Of one and of many, both are names.
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

/** A text of a workflow file as a message shows it: on one line, and cut where it is long. */
export function quoted(text: string): string {
  return JSON.stringify(text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}…` : text)
}
