import { childOf, type Place, textOf } from '../../workflow/nodes.ts'
import { actionOf, localPathOf } from '../../workflow/steps.ts'

/** What lies on the runner where a step begins, as far as the steps before it say. */
export interface Places {
  /** Folders into which this repository was checked out. */
  readonly own: readonly string[]
  /** Folders that hold something else, and scripts that may have put anything anywhere. */
  readonly brought: readonly string[]
}

export const NO_PLACES: Places = { own: [], brought: [] }

/** The same behind a step. */
export function placesBehind(
  { own, brought }: Places,
  { place, uses }: { readonly place: Place; readonly uses: string },
): Places {
  const script = textOf(childOf(place, 'run'))
  if (script !== undefined) return { own, brought: [...brought, script] }
  const folder = folderOf(textOf(childOf(place, 'with', 'path')) ?? '')
  if (actionOf(uses) !== 'actions/checkout') {
    // An artifact, a cache.
    return childOf(place, 'with', 'path')
      ? { own, brought: [...brought, folder] }
      : { own, brought }
  }
  const repository = textOf(childOf(place, 'with', 'repository'))
  const isOwn = folder !== UNKNOWN && (repository === undefined || OWN.test(repository))
  return isOwn ? { own: [...own, folder], brought } : { own, brought: [...brought, folder] }
}

const OWN = /^\s*(?:\$\{\{\s*github\.repository\s*\}\}\s*)?$/i

/** A folder of which anything may be a part. */
const UNKNOWN = '*'

/** `./src/` as `src`, and the root as nothing; where an expression says it, it is `UNKNOWN`. */
function folderOf(path: string): string {
  if (path.includes('${{')) return UNKNOWN
  return path.replaceAll(/^(?:\.\/)+|\/+$/g, '')
}

/** Whether what a step brought, a folder or a script, may be what stands at a path. */
export function mayBring(brought: string, path: string): boolean {
  return brought === UNKNOWN || isIn(path, brought) || brought.includes(path)
}

/** True for a path in a folder, or the folder itself. */
function isIn(path: string, folder: string): boolean {
  return folder === '' || path === folder || path.startsWith(`${folder}/`)
}

/** What a step uses by a path, as this repository has it: `./src/action` as `./action`. */
export function withoutFolder(uses: string, { own }: Places): string {
  const path = localPathOf(uses)
  const folder = path === undefined ? undefined : own.findLast((one) => isIn(path, one))
  if (path === undefined || folder === undefined) return uses
  return folder === '' ? uses : `././${path.slice(folder.length + 1)}`
}
