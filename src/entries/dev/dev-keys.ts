import type { DevServer } from '../../inspector/dev-server.ts'
import { styled } from '../cli/terminal.ts'
import { inForeground } from './foreground.ts'
import { type ListeningKeys, listenToKeys, NO_KEYS } from './keys-while-running.ts'

interface Running {
  readonly server: Pick<DevServer, 'replayNewest'>
  quit(): void
  readonly report: (error: unknown) => void
}

/** The keys of `hookline dev`: there are none but where a person sits at both ends of it. */
export function devKeys({ server, quit, report }: Running): ListeningKeys {
  const { stdin, stdout } = process
  if (!stdin.isTTY || !stdout.isTTY || !inForeground()) return NO_KEYS
  const replay = () => void server.replayNewest().then(sayOutcome, report)
  const keys = [
    { key: 'r', does: 'replay the last request', press: replay },
    { key: 'q', does: 'quit', press: quit },
  ]
  return listenToKeys(keys, stdin, quit)
}

/** What was sent again is told as every request is; here, that nothing was. */
function sayOutcome(reply: { readonly status: number } | undefined): void {
  if (reply === undefined) say('nothing to replay: no request has come yet')
  else if (reply.status >= 400) say(`not replayed: answered ${reply.status}`)
}

function say(text: string): void {
  process.stdout.write(`${styled(process.stdout, 'dim', text)}\n`)
}
