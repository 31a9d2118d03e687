/**
 * What a filter asks for: every word, in any order; `"two words"` as they stand; `-word` must not be
 * there.
 */
export function matcher(filter: string): (text: string) => boolean {
  const parts = [...filter.toLowerCase().matchAll(/(-?)(?:"([^"]*)"?|(\S+))/g)]
  const words = parts.map(([, minus, phrase, word = '']) => ({
    isWanted: minus === '',
    text: phrase ?? word,
  }))
  // Half of what is being typed asks for nothing yet.
  const whole = words.filter(({ text }) => text !== '' && text !== '-')
  return (text) => {
    const all = text.toLowerCase()
    return whole.every(({ isWanted, text }) => all.includes(text) === isWanted)
  }
}

/** Whether a filter forbids anything: then only the whole of an event can tell. */
export function isExcluding(filter: string): boolean {
  return /(?:^|\s)-\S/.test(filter)
}
