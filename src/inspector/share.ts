import type { Detail } from './api.ts'

/** Names of fields that contain secrets or identify a person. */
const PRIVATE =
  /token|secret|passw|api.?key|auth|signature|credential|cookie|session|e-?mail|phone|address|forwarded|\bip\b|^cf-|real-ip/i

/** A request and its result as text for others, with private values as `***`. */
export function shareText({ request, ...detail }: Detail): string {
  if (!request) return ''
  const { method, path, headers, body, encoding } = request
  const [place = '', query] = path.split(/\?(.*)/s)
  const named = Object.entries(headers).map(
    ([name, value]) => `${name}: ${PRIVATE.test(name) ? '***' : value}`,
  )
  const { decisions, reason, problems } = detail
  const checks = decisions.flatMap(({ trigger, checks }) =>
    checks.map(({ option, held, found }) => `${held ? '✓' : '✗'} ${trigger}.${option} ${found}`),
  )
  return [
    `${method} ${place}${query ? `?${form(query)}` : ''}`,
    ...named,
    '',
    encoding === 'text' ? redacted(body, headers['content-type'] ?? '') : '(no text)',
    '',
    `${detail.outcome}${reason ? `: ${reason}` : ''}`,
    ...checks,
    ...problems.map(({ text }) => text),
  ].join('\n')
}

function redacted(body: string, type: string): string {
  const value = parsed(body)
  if (typeof value === 'object') {
    return JSON.stringify(value, (key, one) => (PRIVATE.test(key) ? '***' : one), 2)
  }
  // Without field names, private values cannot be recognized.
  return /form-urlencoded/.test(type) ? form(body) : `(${body.length} characters)`
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function form(text: string): string {
  return text.replace(/([^&=]+)=([^&]*)/g, (all, name) =>
    PRIVATE.test(name) ? `${name}=***` : all,
  )
}
