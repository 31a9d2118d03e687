import { Document, isSeq } from 'yaml'
import type { Sender } from '../../triggers/sender.ts'
import { SENDERS, senderNamed } from '../../triggers/senders.ts'
import { SCHEMES } from '../../triggers/verify/schemes.ts'
import { UserError } from '../../wire/errors.ts'
import { didYouMean, quoted } from '../../workflow/suggestion.ts'

/** @throws UserError for an unknown sender */
export function knownSender(name: string): Sender {
  const sender = senderNamed(name)
  if (sender) return sender
  const names = SENDERS.map((known) => known.name)
  const hint = didYouMean(name, names)
  const message = `unknown sender ${quoted(name)}`
  throw new UserError(
    hint ? { message, hint } : { message, notes: [`senders: ${names.join(', ')}`] },
  )
}

/** The repository secrets that the workflow of a sender reads. */
export function secretsOf(sender: Sender): readonly string[] {
  return [sender.secret, urlSecretOf(sender)].flatMap((secret) => secret ?? [])
}

/** The secret for the complete webhook URL, if the sender signs the URL too. */
export function urlSecretOf(sender: Sender): string | undefined {
  const isUrlSigned = SCHEMES.get(verifyScheme(sender))?.needs.includes('url') ?? false
  return isUrlSigned ? `${sender.name.toUpperCase().replaceAll('-', '_')}_URL` : undefined
}

export function triggerOf({ trigger = 'webhook' }: Pick<Sender, 'trigger'>): string {
  return trigger
}

/**
 * The `on:` section for a sender: signature verification, the key of duplicates, and its usual events.
 *
 * @param open begins an expression; in an input of a native workflow it has to be escaped
 * @param general other options of `config`
 */
export function onSection(sender: Sender, open = '${{', general: object = {}): string {
  const trigger = triggerOf(sender)
  const { events, repeat, hasBots } = sender
  const [path, ...usual] = events ?? []
  const hasKey = trigger === 'webhook' && repeat !== undefined && repeat !== 'id'
  const config = {
    ...(path !== undefined && {
      filter: { [path]: { $in: usual }, ...(hasBots && { is_bot: false }) },
    }),
    ...general,
  }
  const options = {
    ...(trigger === 'webhook' && { method: 'post' }),
    ...(hasKey && { deduplicationKey: repeat }),
    ...verifyOptions(sender, trigger, open),
    ...(Object.keys(config).length > 0 && { config }),
  }
  const document = new Document({ [trigger]: options })
  const kinds = path && document.getIn([trigger, 'config', 'filter', path, '$in'], true)
  if (isSeq(kinds)) kinds.flow = true
  return document.toString({ lineWidth: 0, flowCollectionPadding: false })
}

function verifyOptions(sender: Sender, trigger: string, open: string): object {
  const read = (secret: string) => `${open} secrets.${secret} }}`
  if (trigger === 'messaging_bot') {
    return { webhook: true, ...(sender.secret && { secretToken: read(sender.secret) }) }
  }
  const scheme = verifyScheme(sender)
  const isOwn = trigger !== 'webhook' && trigger !== 'google_form'
  const urlSecret = urlSecretOf(sender)
  return {
    verify: {
      ...(!isOwn && { scheme }),
      ...sender.options,
      ...(sender.secret && { secret: read(sender.secret) }),
      ...(urlSecret !== undefined && { url: read(urlSecret) }),
    },
  }
}

function verifyScheme({ name, scheme = name }: Sender): string {
  return scheme
}
