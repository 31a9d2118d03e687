import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DATABASE_RUNTIMES, type DatabaseRelay } from './database-relays.ts'
import { type GitHubRuns, startGitHubRuns } from './github-runs.ts'
import { type NotificationReceiver, startNotificationReceiver } from './notification-receiver.ts'

/** The secret that signs notifications. */
export const NOTIFY_SECRET = `whsec_${Buffer.alloc(24, 9).toString('base64')}`

export interface NotifyingRelay {
  readonly github: GitHubRuns
  readonly relay: DatabaseRelay
  readonly receiver: NotificationReceiver
  close(): Promise<void>
}

/** A relay on Node with notifications, GitHub's API, and a receiver that the relay trusts. */
export async function startNotifyingRelay(): Promise<NotifyingRelay> {
  const [runtime] = DATABASE_RUNTIMES
  if (!runtime) throw new Error('Node is missing')
  const github = await startGitHubRuns(Date.now)
  const receiver = await startNotificationReceiver()
  const folder = await mkdtemp(join(tmpdir(), 'notifications-'))
  const authority = join(folder, 'receiver.pem')
  await writeFile(authority, receiver.certificate)
  const relay = await runtime.start({
    HOOKLINE_API_URL: github.url,
    HOOKLINE_GITHUB_TOKEN: `ghp_${'R'.repeat(36)}`,
    HOOKLINE_NOTIFY_URL: receiver.url,
    HOOKLINE_NOTIFY_SECRET: NOTIFY_SECRET,
    HOOKLINE_NOTIFY: 'all',
    NODE_EXTRA_CA_CERTS: authority,
  })
  return {
    github,
    relay,
    receiver,
    async close() {
      await relay.close()
      receiver.close()
      await github.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
