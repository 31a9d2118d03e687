import { type DevEvent, type LocalPlatformPorts, pollLocally } from './local-platform.ts'
import { survey } from './survey.ts'

/**
 * Polls every workflow that has a trigger for it, once.
 *
 * @param tell of what is news: items, the first poll of a workflow, and a failure that was not there
 * the time before
 */
export function poller(
  ports: LocalPlatformPorts,
  tell: (event: DevEvent) => void,
): () => Promise<void> {
  const before = new Map<string, string>()
  return async () => {
    const { found } = survey(() => ports.workflows({}))
    const polling = found.filter(({ triggers }) => triggers.some(({ poll }) => poll))
    for (const { name } of polling) {
      const event = await pollLocally(name, ports)
      const failure = JSON.stringify([event.problems.map(({ message }) => message), event.warnings])
      if (event.count > 0 || before.get(name) !== failure) tell(event)
      before.set(name, failure)
    }
  }
}
