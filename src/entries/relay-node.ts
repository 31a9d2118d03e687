import type { RunningServer } from './node/http-server.ts'
import { lineWriter } from './node/line-writer.ts'
import { platformPool } from './node/platform-pool.ts'
import { type Environment, readRelayConfig, relayPorts } from './relay/relay-config.ts'
import { serveRelay } from './relay/relay-server.ts'

export interface RelayOptions {
  readonly host: string
  /** 0 takes a free one. */
  readonly port: number
  readonly env: Environment
  /** `owner/name`, for the self-hosted form. */
  readonly repository?: string | undefined
  /** Takes the lines of the log; standard output when absent. */
  readonly write?: (line: string) => void
}

/**
 * The relay towards GitHub, set up from the environment.
 *
 * @throws UserError for a setting that is wrong
 */
export async function startRelay(options: RelayOptions): Promise<RunningServer> {
  const { host, port, env, repository, write = lineWriter(process.stdout) } = options
  const config = await readRelayConfig(env, repository)
  const platform = platformPool(config.apiUrl)
  const server = await serveRelay({ host, port, ports: relayPorts(config, platform.post, write) })
  const close = async () => {
    await server.close()
    await platform.close()
  }
  return { url: server.url, close }
}
