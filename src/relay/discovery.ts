import type { DispatchMode } from '../wire/payload.ts'
import { VERSION } from '../wire/version.ts'
import type { StaticPage } from './pages.ts'

export const DISCOVERY_PATH = '/.well-known/hookline'

/** The public description of a relay. It contains nothing that a response to a webhook would not reveal. */
interface Discovery {
  /** The version of the package, such as `1.2.3`. */
  readonly version: string
  /** How a token URL starts a workflow. */
  readonly dispatch: DispatchMode
  /** The relay's own GitHub credential. */
  readonly credential: 'none' | 'token' | 'app'
  /** Whether the relay has no database, so that it has no endpoints. */
  readonly stateless: boolean
  /** Whether its URLs are `/webhook/<workflow>/<trigger>`, for the one repository that it serves. */
  readonly singleRepository: boolean
}

export function discoveryPage(facts: Omit<Discovery, 'version'>): StaticPage {
  const discovery: Discovery = { version: VERSION, ...facts }
  return { contentType: 'application/json', body: JSON.stringify(discovery) }
}
