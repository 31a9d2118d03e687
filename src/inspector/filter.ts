/**
 * Parses a filter: every word must occur, in any order; `"two words"` in this order; `-word` must not
 * occur.
 */
export function filterMatcher(filter: string): (text: string) => boolean {
  const parts = [...filter.toLowerCase().matchAll(/(-?)(?:"([^"]*)"?|(\S+))/g)]
  const words = parts.map(([, minus, phrase, word = '']) => ({
    isWanted: minus === '',
    text: phrase ?? word,
  }))
  // An unfinished word, such as `-`, filters nothing.
  const whole = words.filter(({ text }) => text !== '' && text !== '-')
  return (text) => {
    const all = text.toLowerCase()
    return whole.every(({ isWanted, text }) => all.includes(text) === isWanted)
  }
}

/** Whether a filter excludes words; then only the complete event can decide. */
export function isExcluding(filter: string): boolean {
  return /(?:^|\s)-\S/.test(filter)
}
