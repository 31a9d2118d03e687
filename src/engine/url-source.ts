import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'

/**
 * The text of a script that leaves `URL` and `URLSearchParams` on its `exports`. It is read from its
 * package until the build puts a module with the text in this one's place (scripts/build/url-source.js).
 */
export async function urlSource(): Promise<string> {
  return readFile(createRequire(import.meta.url).resolve('whatwg-url-minimum'), 'utf8')
}
