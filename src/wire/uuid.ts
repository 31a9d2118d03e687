/** A UUID in lower case, as a part of a pattern. */
export const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'

/** True for a UUID in upper or lower case. */
export function isUuid(text: string): boolean {
  return new RegExp(`^${UUID}$`, 'i').test(text)
}
