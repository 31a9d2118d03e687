/** The words of a text that lists names between white space. */
export function words(text: string): string[] {
  return text.trim().split(/\s+/)
}

export function wordSet(text: string): ReadonlySet<string> {
  return new Set(words(text))
}
