/**
 * @typedef {import('../wire.ts').Summary} Summary
 * @typedef {import('../wire.ts').Detail} Detail
 * @typedef {import('../wire.ts').ShownRequest} ShownRequest
 * @typedef {import('../wire.ts').Welcome} Welcome
 */

/**
 * @typedef {object} Listeners
 * @property {(state: 'live' | 'lost') => void} connection
 * @property {() => void} restarted another run: what was shown before is gone
 * @property {(summary: Summary) => void} request
 * @property {(id: number) => void} oldest what came before it is no longer kept
 */

/** The key of the run, which a replay has to bring; only this page can read it. */
let key = ''
let run = ''

/**
 * Follows the events. The browser reconnects by itself and says what it saw last.
 *
 * @param {Listeners} listeners
 */
export function follow({ connection, restarted, request, oldest }) {
  const source = new EventSource('/inspector/events')
  source.addEventListener('open', () => connection('live'))
  source.addEventListener('error', () => {
    connection('lost')
    // A browser gives up when the server answered, but not with events.
    if (source.readyState === EventSource.CLOSED) {
      setTimeout(() => follow({ connection, restarted, request, oldest }), 2000)
    }
  })
  source.addEventListener('hello', ({ data }) => {
    const hello = JSON.parse(data)
    if (run !== '' && run !== hello.run) {
      key = ''
      restarted()
    }
    run = hello.run
    oldest(hello.oldest)
  })
  source.addEventListener('request', ({ data }) => {
    const event = JSON.parse(data)
    request(event.summary)
    oldest(event.oldest)
  })
}

/** @returns {Promise<Welcome>} */
export async function welcome() {
  const answer = await (await fetch('/inspector/run')).json()
  key = answer.key
  return answer
}

/**
 * @param {number} id
 * @returns {Promise<Detail | undefined>} `undefined` when it is no longer kept
 */
export async function loadDetail(id) {
  const response = await fetch(`/inspector/requests/${id}`)
  return response.ok ? response.json() : undefined
}

/**
 * Sends a request again.
 *
 * @param {number} of event whose hidden headers are put in again
 * @param {ShownRequest} request
 * @returns {Promise<{ status: number, delivery: string, body: string }>}
 */
export async function replay(of, request) {
  if (key === '') await welcome()
  const response = await fetch('/inspector/replay', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-hookline-key': key },
    body: JSON.stringify({ of, ...request }),
  })
  if (!response.ok) throw new Error((await response.text()).trim())
  return response.json()
}
