import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'

/**
 * A script that defines `URL` and `URLSearchParams` on its `exports`. It is read from its package;
 * the build replaces this module by one with the text (scripts/build/url-source.js).
 */
export async function urlSource(): Promise<string> {
  return readFile(createRequire(import.meta.url).resolve('whatwg-url-minimum'), 'utf8')
}
