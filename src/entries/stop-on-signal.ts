import type { RunningServer } from './node/http-server.ts'

/** A first Ctrl-C, or `kill`, lets a server finish what it accepted; a second one ends at once. */
export function stopOnSignal(server: Pick<RunningServer, 'close'>): void {
  const stop = () => {
    void server.close()
  }
  process.once('SIGTERM', stop)
  process.once('SIGINT', stop)
}
