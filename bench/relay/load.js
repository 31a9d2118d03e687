// A load generator on raw sockets, with one request at a time on each.
import { connect } from 'node:net'

/** @typedef {{ type: string, body: string }} Content */

/** @type {Content} */
const USUAL = {
  type: 'application/json',
  body: JSON.stringify({ id: 1, text: 'x'.repeat(2000) }),
}
export const TOKEN = 'ghp_J7dQx2LkV9sWmB4tYzR6nHcP0fUaE3oXgiS1'
export const REPOSITORY = 'owner/repo'
/** Path of a token URL. */
export const HOOK = `/${REPOSITORY}/hook/webhook`
export const TARGET = `${HOOK}?__token=${TOKEN}`

/**
 * A request with a token or another credential.
 *
 * @param {string} token
 * @param {Content} [content] of its body, in ASCII
 */
export const requestWith = (token, content = USUAL) =>
  requestTo(`${HOOK}?__token=${token}`, content)

/**
 * A request to a webhook URL.
 *
 * @param {string} target
 * @param {Content} [content] of its body, in ASCII
 */
export const requestTo = (target, { type, body } = USUAL) =>
  Buffer.from(
    `POST ${target} HTTP/1.1\r\nHost: relay.test\r\nUser-Agent: GitHub-Hookshot/044aadd\r\n` +
      'Accept: */*\r\nX-GitHub-Event: push\r\nX-GitHub-Delivery: 72d3162e-cc78-11e3-81ab-4c9367dc0958\r\n' +
      'X-Hub-Signature-256: sha256=d57c68ca6f92289e6987922ff26938930f6e66a2d161ef06abdf1859230aa23c\r\n' +
      `Content-Type: ${type}\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  )

const REQUEST = requestWith(TOKEN)

/** @typedef {{ connections: number, milliseconds: number }} Load */

/**
 * Sends one request on its own connection and resolves with the status.
 *
 * @typedef {(() => Promise<number>) & { close: () => void }} Client
 */

/**
 * Sends on `connections` sockets as fast as responses arrive.
 *
 * @param {string} url
 * @param {Load} load
 * @param {Buffer} [request]
 */
export async function saturate(url, { connections, milliseconds }, request = REQUEST) {
  /** @type {number[]} */
  const latencies = []
  const until = performance.now() + milliseconds
  const clients = Array.from({ length: connections }, () => client(url, request))
  const work = clients.map(async (send) => {
    while (performance.now() < until) {
      const start = performance.now()
      await send()
      latencies.push(performance.now() - start)
    }
    send.close()
  })
  const start = performance.now()
  await Promise.all(work)
  return summary(latencies, (performance.now() - start) / 1000)
}

/**
 * Sends at a fixed rate. A latency begins when the request was due, so that delays of the client
 * count, too.
 *
 * @param {string} url
 * @param {Load & { rate: number }} load
 * @param {Buffer} [request]
 */
export async function atRate(url, { rate, connections, milliseconds }, request = REQUEST) {
  /** @type {number[]} */
  const latencies = []
  let accepted = 0
  const start = performance.now()
  const total = Math.floor((rate * milliseconds) / 1000)
  let next = 0
  const clients = Array.from({ length: connections }, () => client(url, request))
  const work = clients.map(async (send) => {
    for (let due = next++; due < total; due = next++) {
      const dueAt = start + (due * 1000) / rate
      const early = dueAt - performance.now()
      if (early > 0) await new Promise((resolve) => setTimeout(resolve, early))
      if ((await send()) === 200) accepted++
      latencies.push(performance.now() - dueAt)
    }
    send.close()
  })
  await Promise.all(work)
  return { ...summary(latencies, (performance.now() - start) / 1000), accepted }
}

/**
 * @param {string} url
 * @param {Buffer} [request]
 * @returns {Client}
 */
export function client(url, request = REQUEST) {
  const { hostname, port } = new URL(url)
  /** @type {import('node:net').Socket | undefined} */
  let socket
  /** @type {{ resolve: (status: number) => void, reject: (error: Error) => void } | undefined} */
  let answered
  const open = () => {
    let pending = ''
    const opened = connect(Number(port), hostname)
    opened.setNoDelay(true)
    opened.on('data', (chunk) => {
      pending += chunk.toString('latin1')
      const head = pending.indexOf('\r\n\r\n')
      if (head < 0) return
      const length = Number(/content-length: (\d+)/i.exec(pending)?.[1] ?? 0)
      if (pending.length < head + 4 + length) return
      const closing = /\r\nconnection: close/i.test(pending)
      const status = Number(pending.slice(9, 12))
      pending = ''
      if (closing) opened.destroy()
      answered?.resolve(status)
    })
    const lost = () => answered?.reject(new Error('connection lost'))
    opened.on('error', lost).on('close', lost)
    return opened
  }
  const send = () =>
    new Promise((resolve, reject) => {
      answered = { resolve, reject }
      if (!socket || socket.destroyed) socket = open()
      socket.write(request)
    })
  send.close = () => {
    answered = undefined
    socket?.destroy()
  }
  return send
}

/**
 * @param {number[]} latencies
 * @param {number} seconds
 */
function summary(latencies, seconds) {
  const sorted = latencies.sort((a, b) => a - b)
  const at = (/** @type {number} */ share) =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
  return {
    requests: sorted.length,
    perSecond: sorted.length / seconds,
    p50: at(0.5),
    p99: at(0.99),
  }
}
