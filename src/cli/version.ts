import { readFileSync, realpathSync } from 'node:fs'
import { resolve } from 'node:path'
import { isObject } from '../wire/json.ts'

/**
 * The version in package.json, which stands two folders above the script that was started;
 * `unknown` for a script that was copied out of its package.
 */
export function ownVersion(): string {
  const manifest = readManifest(realpathSync(process.argv[1] ?? ''))
  return isObject(manifest) && manifest.name === 'hookline' ? String(manifest.version) : 'unknown'
}

function readManifest(script: string): unknown {
  try {
    return JSON.parse(readFileSync(resolve(script, '../../../package.json'), 'utf8'))
  } catch {
    return undefined
  }
}
