import { cp } from 'node:fs/promises'

const CORE = 'build/node_modules/@actions/core'
const HTTP_CLIENT = `${CORE}/node_modules/@actions/http-client`

/**
 * Puts a copy of @actions/core beside the compiled entries, where they find it first, and into the
 * copy an HTTP client that is none. The real one loads undici, half a megabyte, at every start of
 * the action, and serves only `getIDToken`, which Hookline never calls. Every other package still
 * finds the real client.
 */
export async function placeLeanCore() {
  await cp('node_modules/@actions/core', CORE, { recursive: true })
  await cp('scripts/build/no-http-client', HTTP_CLIENT, { recursive: true, force: true })
}
