/** @typedef {import('../wire.ts').ShownRequest} ShownRequest */

/** A sender's client sets them by itself. */
const OF_THE_CLIENT = new Set(['host', 'content-length', 'connection', 'accept-encoding'])

/**
 * A line for a POSIX shell that sends a request again.
 *
 * @param {ShownRequest} request
 * @param {string} base address of the local engine
 */
export function curlLine({ method, path, headers, body, encoding }, base) {
  const given = Object.entries(headers).filter(([name]) => !OF_THE_CLIENT.has(name))
  const binary = encoding === 'base64'
  const options = [
    ...(method === 'HEAD' ? ['--head'] : method === 'GET' && !body ? [] : ['-X', method]),
    ...given.flatMap(([name, value]) => [
      '-H',
      quoted(value === '' ? `${name};` : `${name}: ${value}`),
    ]),
    ...(binary ? ['--data-binary', '@-'] : body ? ['--data-raw', quoted(body)] : []),
  ]
  const line = ['curl', ...options, quoted(`${base}/webhook/${path}`)].join(' ')
  return binary ? `printf %s ${quoted(body)} | base64 -d | ${line}` : line
}

/**
 * A fixture, as `hookline send` sends it: the four keys of a `client_payload`, so that a header says
 * when the body is base64. What authenticates the sender is not part of it.
 *
 * @param {ShownRequest} request
 */
export function fixtureText({ method, path, headers, body, encoding }) {
  const kept = Object.entries(headers).filter(
    ([name, value]) => value !== '***' && !OF_THE_CLIENT.has(name),
  )
  const encoded = encoding === 'base64' ? { 'x-hookline-body-encoding': 'base64' } : {}
  const fixture = { method, path, headers: { ...Object.fromEntries(kept), ...encoded }, body }
  return `${JSON.stringify(fixture, null, 2)}\n`
}

/**
 * A name for the file of a fixture.
 *
 * @param {ShownRequest} request
 */
export function fixtureName({ method, path }) {
  const place = path.replace(/\?.*$/s, '').replace(/[^\w.-]+/g, '-')
  return `${method.toLowerCase()}-${place}`.slice(0, 80).replace(/-+$/, '').concat('.json')
}

/**
 * Nothing is special within single quotes but the quote itself.
 *
 * @param {string} text
 */
function quoted(text) {
  return `'${text.replaceAll("'", "'\\''")}'`
}
