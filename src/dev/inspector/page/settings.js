/** What a person chose, kept by the browser where it allows that. */

/** @param {string} name */
export function setting(name) {
  try {
    return localStorage.getItem(`hookline-${name}`)
  } catch {
    return null
  }
}

/**
 * @param {string} name
 * @param {string} value
 */
export function keep(name, value) {
  try {
    localStorage.setItem(`hookline-${name}`, value)
  } catch {
    // It holds for this visit only.
  }
}
