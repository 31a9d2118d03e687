/** Lower-case names, as Node gives them. */
export type VisitHeaders = Readonly<Record<string, string | string[] | undefined>>

/** What a request to the inspector says about where it comes from. */
export interface Visitor {
  /** Address of the other end of the connection. */
  readonly address: string | undefined
  readonly headers: VisitHeaders
}

const LOOPBACK_ADDRESS = /^(127\.\d+\.\d+\.\d+|::1|::ffff:127\.\d+\.\d+\.\d+)$/
/** Any port: it may be forwarded. No name that a foreign DNS server could point here. */
const LOOPBACK_HOST = /^(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?$/i
/** A tunnel's end is on this machine, but whoever comes through it is not. */
const FORWARDED = /^(forwarded|via|x-real-ip|x-forwarded-.+|cf-.+|ngrok-.+)$/

/**
 * Why a visitor may not see the inspector; `undefined` for this machine's own browser.
 *
 * - Address and forwarding headers keep other machines out.
 * - `Host` keeps out a foreign page whose own name was pointed at this machine (DNS rebinding).
 * - `Origin` and `Sec-Fetch-Site` keep out every other page of this browser.
 */
export function whyNotAdmitted({ address, headers }: Visitor): string | undefined {
  const { origin } = headers
  const host = String(headers.host)
  if (!LOOPBACK_ADDRESS.test(address ?? '')) return 'it answers this machine only'
  if (Object.keys(headers).some((name) => FORWARDED.test(name))) {
    return 'it answers no request that was forwarded'
  }
  if (!LOOPBACK_HOST.test(host)) return 'open it as localhost'
  if (origin !== undefined && origin !== `http://${host}`) return 'another page asked for it'
  if (!isOwnPage(headers)) return 'another page asked for it'
  return undefined
}

/** Browsers since 2023 say it; a click on a link from elsewhere may show the page, and no more. */
function isOwnPage({
  'sec-fetch-site': site = 'none',
  'sec-fetch-mode': mode,
}: VisitHeaders): boolean {
  return site === 'same-origin' || site === 'none' || mode === 'navigate'
}
