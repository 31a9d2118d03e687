import { Document, isScalar, isSeq, visit } from 'yaml'
import type { Sender } from '../../triggers/sender.ts'
import { SENDERS, senderNamed } from '../../triggers/senders.ts'
import { schemeNamed } from '../../triggers/verify/schemes.ts'
import type { JsonObject } from '../../wire/json.ts'
import { unknownName } from '../flag-values.ts'

/** @throws UserError for an unknown sender */
export function knownSender(name: string): Sender {
  const sender = senderNamed(name)
  if (sender) return sender
  throw unknownName(
    'sender',
    name,
    SENDERS.map((known) => known.name),
  )
}

export function secretsOf(sender: Sender): readonly string[] {
  return [sender.secret, urlSecretOf(sender)].flatMap((secret) => secret ?? [])
}

/** The secret for the complete webhook URL, if the sender signs the URL too. */
export function urlSecretOf(sender: Sender): string | undefined {
  const isUrlSigned = schemeNamed(verifyScheme(sender))?.needs.includes('url') ?? false
  return isUrlSigned ? `${sender.name.toUpperCase().replaceAll('-', '_')}_URL` : undefined
}

export function triggerOf({ trigger = 'webhook' }: Pick<Sender, 'trigger'>): string {
  return trigger
}

/**
 * The `on:` section for a sender: signature verification, the key of duplicates, and its usual events.
 *
 * @param open begins an expression; in an input of a native workflow it has to be escaped
 */
export function onSection(sender: Sender, open = '${{'): string {
  const trigger = triggerOf(sender)
  const { repeat, otherRepeat } = sender
  const filter = filterOf(sender)
  const hasKey = trigger === 'webhook' && repeat !== undefined && repeat !== 'id'
  const config = {
    // The body can have an `id` that several events share: the id of the order.
    ...(hasKey && { deduplicateBy: repeat }),
    ...(filter && { filter }),
  }
  const options = {
    ...(trigger === 'webhook' && { method: 'post' }),
    ...(hasKey && otherRepeat !== undefined && { deduplicationKey: otherRepeat }),
    ...verifyOptions(sender, trigger, open),
    ...(Object.keys(config).length > 0 && { config }),
  }
  const document = new Document({ [trigger]: options })
  visit(document, {
    Pair(_, { key, value }) {
      if (isScalar(key) && key.value === '$in' && isSeq(value)) value.flow = true
    },
  })
  return document.toString({ lineWidth: 0, flowCollectionPadding: false })
}

/** The filter that leaves the usual events of a sender. */
function filterOf({ events, filter, hasBots }: Sender): JsonObject | undefined {
  if (filter || !events) return filter
  const [path, ...usual] = events
  return { [path]: { $in: usual }, ...(hasBots && { is_bot: false }) }
}

/**
 * The step that says in the job summary in which form the sender sent an event; empty for other senders.
 *
 * @param item the outputs of the trigger, as an expression
 * @param condition the `if:` of the step; empty in a job that runs only for an event
 */
export function formStep({ title, forms }: Sender, item: string, condition: string): string {
  if (!forms) return ''
  const { field, value, first, second } = forms
  const form = `${item}.body.${field} == '${value}' && '${first}' || '${second}'`
  return `
# ${title} sends an event in one of two forms.
- ${condition === '' ? '' : `if: ${condition}\n  `}env:
    FORM: \${{ ${form} }}
  run: echo "$FORM" >> "$GITHUB_STEP_SUMMARY"
`
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

/** Removes the Markdown of links, emphasis, code and fences from a text about a sender. */
export function withoutMarkdown(text: string): string {
  return text
    .replaceAll(/^```.*\n/gm, '')
    .replace(/\[([^\]]+)\]\((https:[^)]+)\)/g, '$1 ($2)')
    .replace(/\[([^\]]+)\]\([^)]+\)/g, '$1')
    .replace(/(?<![\w*])\*([^*\n]+)\*(?![\w*])/g, '$1')
}
