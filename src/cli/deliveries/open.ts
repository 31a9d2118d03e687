import { http } from '../../action/http-client.ts'
import type { SentResponse, ShownRequest } from '../../inspector/api.ts'
import { CLIENT_HEADERS } from '../../inspector/client-headers.ts'
import type { RelayDeliveries } from '../../inspector/relay-source.ts'
import { baseAddress } from '../../wire/address.ts'
import { fromBase64 } from '../../wire/bytes.ts'
import { UserError } from '../../wire/errors.ts'
import { DEV_HEADER } from '../../wire/headers.ts'
import { HttpFailure } from '../../wire/http.ts'
import { settingDefault } from '../../wire/settings.ts'
import { readersHere, signedHere } from '../dev.ts'
import { withOwner } from '../endpoint/named-endpoint.ts'
import { originRepository } from '../files.ts'
import { type RelayClient, RelayRefusal } from '../relay-client.ts'
import { unreachableHint } from '../request-faults.ts'
import { sendExactly } from '../send/http-request.ts'
import { print, reportBug, stopOnSignal } from '../terminal.ts'
import { withRelay } from './shown.ts'

/** The deliveries that are shown. */
interface Selection {
  /** `undefined` for all owners. */
  readonly owner: string | undefined
  /** A filter, as the admin API reads it. */
  readonly query: Readonly<Record<string, string | undefined>>
}

/**
 * Shows the deliveries of a relay in the inspector, until the command is stopped. The bearer of the relay
 * stays in this process.
 *
 * @param relay value of --relay, which the commands that cure a fault need as well
 */
export async function openInspector(
  client: RelayClient,
  selection: Selection,
  { relay }: { readonly relay?: string | undefined },
): Promise<void> {
  const dev = new URL(`http://localhost:${process.env.PORT || settingDefault('PORT')}`)
  const { serveRelayInspector } = await import('../../inspector/relay-source.ts')
  const here = originRepository().toLowerCase()
  const server = await serveRelayInspector({
    dev: baseAddress(dev),
    relay: relayDeliveries(client, selection),
    // The files of another repository would have other jobs.
    readers: (repository, workflow) =>
      here === '' || here === repository.toLowerCase() ? readersHere(workflow) : [],
    sendToDev: (request) => sendToDev(dev, request),
    cure: (text) => withRelay(text, relay),
    report: reportBug,
  })
  stopOnSignal(server)
  print(`Inspector of ${client.host}: ${server.url}`)
}

function relayDeliveries(
  client: RelayClient,
  { owner, query: filter }: Selection,
): RelayDeliveries {
  // A relay on Workers needs an owner; after the first request, it is known.
  let asked = owner
  return {
    host: client.host,
    list: ({ limit, after }) => {
      const query = { ...filter, limit: String(limit), after }
      const ask = async (of: string | undefined) => {
        const path = of === undefined ? '/deliveries' : `/deliveries/${of}`
        const answer = await client.ask({ method: 'GET', path, query })
        asked = of
        return answer
      }
      return withOwner(ask, asked)
    },
    async find(of, id) {
      try {
        return await client.ask({ method: 'GET', path: `/deliveries/${of}/${id}` })
      } catch (error) {
        if (error instanceof RelayRefusal && error.code === 'not_found') return undefined
        throw error
      }
    },
    async replay(of, id) {
      const path = `/deliveries/${of}/${id}/replay`
      const { ids, replayed, explanation } = await client.ask({ method: 'POST', path })
      if (replayed === 0) {
        const why = typeof explanation === 'string' ? `: ${explanation}` : ''
        throw new UserError({ message: `the delivery was declined again${why}` })
      }
      return Array.isArray(ids) ? ids.map(String) : []
    },
  }
}

/** Milliseconds until the response of `dev`. */
const TIMEOUT = 30_000

/**
 * Sends a request to `hookline dev`, as its sender would.
 *
 * @throws UserError if something else listens there: the request is private
 */
async function sendToDev(dev: URL, request: ShownRequest): Promise<SentResponse> {
  const base = baseAddress(dev)
  try {
    const front = await http({ method: 'GET', url: `${base}/`, timeout: TIMEOUT })
    if (front.headers[DEV_HEADER] === undefined) {
      throw new UserError({
        message: `${dev.host} is not hookline dev. ${START_DEV}`,
        hint: START_DEV,
      })
    }
    // The relay has verified the signature, and does not tell it.
    const { method, path, headers, body, encoding } = await signedHere(request)
    const url = new URL(`${base}/webhook/${path}`)
    // A path such as ../inspector would address another resource.
    if (!url.href.startsWith(`${base}/webhook/`)) throw new UserError(NO_WEBHOOK)
    const sent = Object.entries(headers).filter(([name]) => !CLIENT_HEADERS.has(name))
    const reply = await sendExactly({
      method,
      url,
      headers: Object.fromEntries(sent),
      body: encoding === 'base64' ? fromBase64(body) : new TextEncoder().encode(body),
      timeout: TIMEOUT,
    })
    const delivery = reply.headers['x-hookline-delivery'] ?? ''
    return { status: reply.status, delivery, body: reply.text }
  } catch (error) {
    if (!(error instanceof HttpFailure)) throw error
    const hint = unreachableHint(error, START_DEV)
    throw new UserError(
      { message: `${dev.host}: ${error.message}. ${hint}`, hint },
      { cause: error },
    )
  }
}

const NO_WEBHOOK = { message: 'the path of the delivery is not the path of a webhook' }

const START_DEV = 'Start hookline dev on this machine; if it has another port, set PORT.'
