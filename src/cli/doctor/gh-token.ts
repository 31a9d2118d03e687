import type { ForgeHere } from '../forge.ts'
import { shellHere } from '../terminal.ts'

/**
 * A command of Hookline with the token that gh has for the forge. Without `--hostname`, gh may print its
 * token for github.com, which the forge must not receive.
 */
export function withTokenOfGh({ host, apiUrl, isConfigured }: ForgeHere, command: string): string {
  const shell = shellHere()
  const isCloud = host === 'github.com'
  const name = /^[\w.:-]+$/.test(host) ? host : shell.quoted(host)
  const printedBy = isCloud ? 'gh auth token' : `gh auth token --hostname ${name}`
  // Without the address, a token in HOOKLINE_GITHUB_TOKEN may be of github.com.
  const address = isCloud || isConfigured ? {} : { HOOKLINE_API_URL: { text: apiUrl.href } }
  return shell.having({ ...address, HOOKLINE_GITHUB_TOKEN: { printedBy } }, command)
}
