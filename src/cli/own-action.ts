import { readFileSync, realpathSync } from 'node:fs'
import { resolve } from 'node:path'
import { ACTION } from '../compiler/compiler-settings.ts'
import { isObject, parseJson } from '../wire/json.ts'

/**
 * The `uses` value of this package's action. The release workflow writes the commit into package.json,
 * which is two folders above the running script.
 */
export function ownAction(script = process.argv[1] ?? ''): string {
  try {
    const path = resolve(realpathSync(script), '../../../package.json')
    const manifest = parseJson(readFileSync(path, 'utf8'))
    if (!isObject(manifest) || manifest.name !== 'hookline') return ACTION
    const { gitHead, version } = manifest
    const isReleased = typeof gitHead === 'string' && /^[0-9a-f]{40}$/.test(gitHead)
    return isReleased ? `hookline/hookline@${gitHead} # v${version}` : ACTION
  } catch {
    return ACTION
  }
}
