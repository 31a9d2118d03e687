import { type Source, UserError } from '../wire/errors.ts'
import { isObject } from '../wire/json.ts'
import { parseYaml } from '../workflow/yaml.ts'

/**
 * GitHub's lock file of actions. `gh actions-lock` writes it, and writes a tag into the workflow
 * files that says more: `v4` becomes `v4.3.1`.
 * Source: https://docs.github.com/en/actions/concepts/security/workflow-dependency-lockfiles
 */
export const LOCK_FILE = '.github/workflows/actions.lock'

interface LockedVersion {
  readonly action: string
  readonly ref: string
}

export class ActionLock {
  /** `owner/name@ref` by workflow file. */
  readonly #workflows: ReadonlyMap<string, ReadonlySet<string>>
  /** The commit of each `owner/name@ref`. */
  readonly #commits: ReadonlyMap<string, string>

  /** @throws UserError if the file is no YAML */
  constructor(source: Source) {
    const content: unknown = parseYaml(source).toJS({ maxAliasCount: -1 })
    const { workflows, dependencies } = isObject(content) ? content : {}
    this.#workflows = new Map(
      Object.entries(isObject(workflows) ? workflows : {}).map(([path, uses]) => [
        path,
        new Set((Array.isArray(uses) ? uses : []).map((one) => String(one).toLowerCase())),
      ]),
    )
    this.#commits = new Map(
      Object.entries(isObject(dependencies) ? dependencies : {}).map(([name, entry]) => {
        const commit = isObject(entry) ? String(entry.commit ?? '') : ''
        return [name.toLowerCase(), commit.replace(/^sha\d+-/, '')]
      }),
    )
  }

  /** Whether the lock file names a workflow file; GitHub then runs only the locked versions in it. */
  locks(path: string): boolean {
    return this.#workflows.has(path)
  }

  names(path: string, { action, ref }: LockedVersion): boolean {
    return this.#workflows.get(path)?.has(lockKey(action, ref)) === true
  }

  /**
   * Returns the version of an existing compiled file that the lock file has for a written version: a more
   * exact tag, or the commit. `undefined` if there is none.
   */
  lockedForm<Found extends LockedVersion>(
    path: string,
    written: LockedVersion,
    existing: readonly Found[],
  ): Found | undefined {
    if (!this.locks(path)) return undefined
    return existing.find(
      (one) =>
        one.action.toLowerCase() === written.action.toLowerCase() &&
        one.ref !== written.ref &&
        this.#isForm(path, written, one.ref),
    )
  }

  #isForm(path: string, { action, ref }: LockedVersion, form: string): boolean {
    if (form.startsWith(`${ref}.`)) return this.names(path, { action, ref: form })
    const names = [...(this.#workflows.get(path) ?? [])].filter(
      (name) => name === lockKey(action, ref) || name.startsWith(`${lockKey(action, ref)}.`),
    )
    return names.some((name) => this.#commits.get(name) === form)
  }
}

/** The lock file names repositories, so the folder of an action in its repository does not matter. */
function lockKey(action: string, ref: string): string {
  const [owner = '', name = ''] = action.replace(/^https:\/\/github\.com\//i, '').split('/')
  return `${owner}/${name}@${ref}`.toLowerCase()
}

/** Returns `undefined` for an invalid lock file; `gh actions-lock` reports its mistakes. */
export function readActionLock(source: Source): ActionLock | undefined {
  try {
    return new ActionLock(source)
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    return undefined
  }
}
