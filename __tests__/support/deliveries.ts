import { send } from './raw-http.ts'
import { ADMIN_BEARER } from './relay-keys.ts'

/** A delivery in the admin API. */
export interface Listed {
  readonly id: string
  /** Id of the request that it comes from. */
  readonly request: string
  readonly repository: string
  readonly endpoint: string | null
  readonly state: string
  readonly reason: string
  readonly receivedAt: string
  readonly attempts: number
  readonly batch?: string
}

/** A request to the admin API of a relay. */
export async function operate(
  relay: { readonly url: string },
  method: string,
  target: string,
  key = ADMIN_BEARER,
) {
  const headers: [string, string][] = [['Authorization', `Bearer ${key}`]]
  return send(relay.url, { method, target, headers })
}

/** The deliveries of an owner by their state, oldest first, and the imbalance of the relay. */
export async function listed(relay: { readonly url: string }, owner = 'o') {
  const { body } = await operate(relay, 'GET', `/-admin/deliveries/${owner}?limit=1000`)
  const all: readonly Listed[] = JSON.parse(body).deliveries.toReversed()
  const status = JSON.parse((await operate(relay, 'GET', `/-admin/status?owner=${owner}`)).body)
  return {
    waiting: all.filter(({ state }) => state === 'waiting' || state === 'uncertain'),
    dead: all.filter(({ state }) => state === 'dead'),
    delivered: all.filter(({ state }) => state === 'delivered'),
    imbalance: Number(status.imbalance),
  }
}
