import { isObject, type Json } from '../wire/json.ts'

/** `write-all`, `read-all`, or an access for each scope. */
export type Permissions = 'read-all' | 'write-all' | Readonly<Record<string, Access>>
type Access = 'none' | 'read' | 'write'

const ACCESSES: readonly Access[] = ['none', 'read', 'write']

/**
 * The scopes of a token. Two of them can only be written.
 *
 * Source: GitHub's own schema, workflow-v1.0.json (a test compares the two)
 */
export const SCOPES: readonly string[] = [
  'actions',
  'artifact-metadata',
  'attestations',
  'checks',
  'code-quality',
  'contents',
  'deployments',
  'discussions',
  'drives',
  'issues',
  'models',
  'packages',
  'pages',
  'pull-requests',
  'repository-projects',
  'security-events',
  'statuses',
  'vulnerability-alerts',
]

/** GitHub's restricted default for a job without `permissions`. */
const DEFAULT: Permissions = { contents: 'read', packages: 'read' }

/**
 * The permissions of a calling job, so that every job of the called workflow gets its own. GitHub
 * refuses the whole run if a called job has more than its caller.
 *
 * @param workflow `permissions` of the workflow; `undefined` if there are none
 * @param jobs `permissions` of each job; `undefined` if there are none
 * @returns `undefined` if there are none anywhere
 */
export function permissionUnion(
  workflow: Json | undefined,
  jobs: readonly (Json | undefined)[],
): Permissions | undefined {
  if ([workflow, ...jobs].every((declared) => declared === undefined)) return undefined
  return jobs.map((job) => readPermissions(job ?? workflow)).reduce(union, {})
}

function readPermissions(declared: Json | undefined): Permissions {
  if (declared === undefined) return DEFAULT
  if (declared === 'read-all' || declared === 'write-all') return declared
  if (!isObject(declared)) return {}
  return Object.fromEntries(
    Object.entries(declared).map(([scope, access]) => [
      scope,
      ACCESSES.find((known) => known === access) ?? 'none',
    ]),
  )
}

function union(one: Permissions, other: Permissions): Permissions {
  if (one === 'write-all' || other === 'write-all') return 'write-all'
  const [a, b] = [perScope(one), perScope(other)]
  const scopes = [...new Set([...Object.keys(a), ...Object.keys(b)])]
  return Object.fromEntries(
    scopes.map((scope) => [
      scope,
      ACCESSES.findLast((access) => access === a[scope] || access === b[scope]) ?? 'none',
    ]),
  )
}

function perScope(permissions: Permissions): Readonly<Record<string, Access>> {
  if (typeof permissions === 'object') return permissions
  return Object.fromEntries(SCOPES.map((scope) => [scope, 'read']))
}
