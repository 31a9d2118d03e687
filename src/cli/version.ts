import { readFileSync, realpathSync } from 'node:fs'
import { resolve } from 'node:path'
import { isObject } from '../wire/json.ts'

/**
 * The version in package.json, which stands two folders above the script that was started;
 * `unknown` for a script that was copied out of its package.
 */
export function ownVersion(): string {
  const script = realpathSync(process.argv[1] ?? '')
  try {
    const path = resolve(script, '../../../package.json')
    const manifest: unknown = JSON.parse(readFileSync(path, 'utf8'))
    const isOwn = isObject(manifest) && manifest.name === 'hookline'
    return isOwn ? String(manifest.version) : 'unknown'
  } catch {
    return 'unknown'
  }
}
