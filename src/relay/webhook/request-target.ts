/** A raw request target as its path and its query; nothing in it is decoded. */
export function splitTarget(target: string): [path: string, query: string | undefined] {
  // A proxy may send the absolute form; its host is not trusted.
  const origin = target.startsWith('/') ? target : target.replace(/^https?:\/\/[^/?]*/i, '')
  const at = origin.indexOf('?')
  return at < 0 ? [origin, undefined] : [origin.slice(0, at), origin.slice(at + 1)]
}
