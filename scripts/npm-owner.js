/**
 * The reason that a name on npm does not belong to this repository; `undefined` if it does.
 *
 * @param {{ name: string, status: number, found: any }} answer the registry's response for the name
 * @param {string} repository `owner/name`
 */
export function ownerProblem({ name, status, found }, repository) {
  if (status === 404) return `npm has no package "${name}" yet: publish a first version manually`
  if (status !== 200) return `npm answered ${status}, so nobody knows whose "${name}" is`
  if (found?.['dist-tags']?.latest === '0.0.0-stage')
    return `npm has only the placeholder of a staged version of "${name}": approve it with npm stage approve`
  const url = String(found?.repository?.url ?? '')
  const own = /^(?:git\+)?https:\/\/github\.com\/([^/]+\/[^/]+?)(?:\.git)?$/.exec(url)?.[1]
  if (own?.toLowerCase() === repository.toLowerCase()) return undefined
  return `the name "${name}" on npm belongs to somebody else (${url || 'it names no repository'})`
}
