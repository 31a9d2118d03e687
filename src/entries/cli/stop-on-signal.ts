import type { RunningServer } from '../../relay/http-server.ts'

/**
 * A first Ctrl-C, or `kill`, lets a server finish what it accepted; a second one ends at once.
 *
 * @returns what does as the first one does
 */
export function stopOnSignal(server: Pick<RunningServer, 'close'>): () => void {
  const stop = () => {
    process.off('SIGTERM', stop)
    process.off('SIGINT', stop)
    void server.close()
  }
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
  return stop
}
