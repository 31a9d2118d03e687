import { readFileSync, realpathSync } from 'node:fs'
import { resolve } from 'node:path'
import { ACTION } from '../compiler/compiler-settings.ts'
import { isObject, type JsonObject } from '../wire/json.ts'

/**
 * The `uses` value of this package's action. The release workflow writes the commit into package.json.
 */
export function ownAction(script = process.argv[1]): string {
  const { gitHead, version } = ownManifest(script) ?? {}
  const isReleased = typeof gitHead === 'string' && /^[0-9a-f]{40}$/.test(gitHead)
  return isReleased ? `hookline/hookline@${gitHead} # v${version}` : ACTION
}

/** package.json is two folders above the running script. */
function ownManifest(script: string | undefined): JsonObject | undefined {
  const started = realpathSync(script ?? '')
  try {
    const path = resolve(started, '../../../package.json')
    const manifest: unknown = JSON.parse(readFileSync(path, 'utf8'))
    return isObject(manifest) && manifest.name === 'hookline' ? (manifest as JsonObject) : undefined
  } catch {
    return undefined
  }
}
