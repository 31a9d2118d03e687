import { createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'

/** A recorded or documented request of a service, and the promises of its page. */
export interface Recorded {
  readonly name: string
  readonly trigger: string
  readonly contentType: string
  readonly body: string
  /** Options below `verify`, with `${{ secrets.SENDER }}`, and the headers that match them. */
  readonly verify?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly moreHeaders?: Readonly<Record<string, string>>
  /** Expected fields of the item. */
  readonly outputs: Readonly<Record<string, unknown>>
  /** Strings that must not occur in the item. */
  readonly hidden?: readonly string[]
}

export const SECRETS = {
  SENDER: 'a secret that both share',
  WHSEC: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  CALLBACK: 'https://relay.example/octo/repo/hook/trello?__token=t0ken',
}
export const RECEIVED = new Date('2026-11-21T08:00:00Z')

export const JSON_TYPE = 'application/json'
export const FORM_TYPE = 'application/x-www-form-urlencoded'
export const SHARED = `{secret: "\${{ secrets.SENDER }}"}`
export const SECONDS = String(RECEIVED.getTime() / 1000)

export function fixture(name: string): string {
  return readFileSync(new URL(`fixtures/${name}`, import.meta.url), 'utf8')
}

export function mac(algorithm: string, text: string, encoding: 'hex' | 'base64'): string {
  return createHmac(algorithm, SECRETS.SENDER).update(text).digest(encoding)
}
