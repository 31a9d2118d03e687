import { readFileSync, realpathSync } from 'node:fs'
import { resolve } from 'node:path'

/** The version in package.json, which stands two folders above the script that was started. */
export function ownVersion(): string {
  const file = resolve(realpathSync(process.argv[1] ?? ''), '../../../package.json')
  const manifest: unknown = JSON.parse(readFileSync(file, 'utf8'))
  const found = typeof manifest === 'object' && manifest !== null && 'version' in manifest
  return found ? String(manifest.version) : 'unknown'
}
