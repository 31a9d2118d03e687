import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CLI_BUNDLE, RunningCommand } from './cli.ts'
import { NODE24 } from './node24.ts'

/** `hookline relay` in a process of its own, with a data folder. */
export interface RelayProcess {
  readonly url: string
  /** Its data folder, which commands find by `HOOKLINE_DATA`. */
  readonly data: string
  close(): Promise<void>
}

/** @param env settings of the relay */
export async function startRelayProcess(
  env: Record<string, string>,
  args: readonly string[] = [],
): Promise<RelayProcess> {
  const data = await mkdtemp(join(tmpdir(), 'relay-data-'))
  const running = new RunningCommand(['relay', '--data', data, '--port', '0', ...args], {
    env,
    as: (given) => [NODE24 ?? process.execPath, CLI_BUNDLE, ...given],
  })
  const [, url = ''] = await running.printed(/listening on (http:\S+)/)
  // The line about the folder comes after the address file is written.
  await running.printed(/data folder/)
  return {
    url,
    data,
    async close() {
      await running.stop()
      await rm(data, { recursive: true, force: true })
    },
  }
}
