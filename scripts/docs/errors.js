import { code } from './table.js'

const { ERROR_CODES } = await import(new URL('../../build/relay/errors.js', import.meta.url).href)

/** The pages that say more. @type {Partial<Record<import('../../src/relay/errors.ts').ErrorCode, string>>} */
const PAGES = {
  app_not_installed: '[run the relay as a GitHub App](../host/github-app.md)',
  bodies_full: '[large bodies](../guides/receive-files.md#large-bodies)',
  dispatch_not_supported: '[other forges](../host/other-forges.md)',
  github_timeout: '[retries](#retries-by-the-relay)',
  github_unavailable: '[retries](#retries-by-the-relay)',
  internal_error: '[issues](https://github.com/hookline/hookline/issues)',
  invalid_endpoint: '[endpoints in the admin API](admin-api.md#endpoints)',
  invalid_key: '[the admin API](admin-api.md)',
  invalid_workflow: '[URL](#url)',
  missing_token: '[choose a webhook URL](../guides/endpoints.md#choose-a-webhook-url)',
  not_found: '[URL](#url)',
  payload_too_large: '[large bodies](../guides/receive-files.md#large-bodies)',
  rate_limited: '[limits](limits.md)',
  storage_full: '[the database is full](../host/operate.md#the-database-is-full)',
}

/** Every error code of the relay with its status, the fault and the fix: a list, as it fits on a phone. */
export function errorCodes() {
  /** @type {[string, import('../../src/relay/errors.ts').ErrorEntry][]} */
  const codes = Object.entries(ERROR_CODES)
  const lines = codes.map(([name, { status, message, hint }]) => {
    const fault = message.charAt(0).toUpperCase() + message.slice(1)
    const page = PAGES[/** @type {import('../../src/relay/errors.ts').ErrorCode} */ (name)]
    const more = page ? ` See ${page}.` : ''
    return `- <a id="${name}"></a>${code(name)} (${status}): ${inCode(`${fault}. ${hint}`)}${more}`
  })
  return lines.join('\n')
}

/** Commands up to the end of their clause, and names, which Markdown would change. */
const CODE =
  /\b(?:hookline|openssl) [^.,;]*[^.,; ]|on: workflow_dispatch:.*?\}|Authorization: Bearer <\w+>|(?:HOOKLINE|X)[-_][\w-]+(?:=\w+)?|--[a-z-]+(?: [a-z]+(?=\.$))?|\/?<[^ ]+>|__[\w…]+|\w+_dispatch|(?:contents|actions): write|"[\w.-]+"|\b(?:repo|relay\.key)\b|(?<=header )A\w+/g

/** @param {string} text */
function inCode(text) {
  return text.replaceAll(CODE, (match) => code(match.replaceAll('"', '')))
}
