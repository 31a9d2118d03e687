/**
 * Why a name on npm is not this repository's; `undefined` when it is.
 *
 * @param {{ name: string, status: number, found: any }} answer of the registry to the name
 * @param {string} repository `owner/name`
 */
export function ownerProblem({ name, status, found }, repository) {
  if (status === 404) return `npm has no package "${name}" yet: publish a first version by hand`
  if (status !== 200) return `npm answered ${status}, so nobody knows whose "${name}" is`
  const url = String(found?.repository?.url ?? '')
  const own = /^(?:git\+)?https:\/\/github\.com\/([^/]+\/[^/]+?)(?:\.git)?$/.exec(url)?.[1]
  if (own?.toLowerCase() === repository.toLowerCase()) return undefined
  return `the name "${name}" on npm belongs to somebody else (${url || 'it names no repository'})`
}
