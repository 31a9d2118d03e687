import { UserError } from './errors.ts'

/** What a webhook URL is made of. */
export interface WebhookAddress {
  /** Address of the relay: `https://relay.example`. */
  readonly relay: string
  /** `owner/name`; without it the URL has the self-hosted form, which names no repository. */
  readonly repository: string | undefined
  /** Workflow file name without its extension. */
  readonly workflow: string
  readonly trigger: string
}

const REPOSITORY = /^[A-Za-z0-9][A-Za-z0-9_-]{0,38}\/(?!\.{1,2}$)[A-Za-z0-9._-]{1,100}$/
const WORKFLOW = /^[A-Za-z0-9._-]+$/

/** The webhook URL, still without a token. @throws UserError naming the part that is wrong */
export function webhookUrl({ relay, repository, workflow, trigger }: WebhookAddress): string {
  const base = URL.canParse(relay) ? new URL(relay) : undefined
  if (!base || !/^https?:$/.test(base.protocol) || base.search || base.hash) {
    throw wrong('the address of the relay', relay, 'https://relay.example')
  }
  if (repository !== undefined && !REPOSITORY.test(repository)) {
    throw wrong('the repository', repository, 'owner/name')
  }
  const name = workflow.replace(/\.ya?ml$/, '')
  if (!WORKFLOW.test(name)) throw wrong('the workflow', workflow, 'its file name: deploy')
  const place = repository ?? 'webhook'
  return `${base.href.replace(/\/+$/, '')}/${place}/${name}/${trigger}`
}

/** The URL with what goes into `__token`, already percent-encoded, or a variable of the shell. */
export function withToken(url: string, token: string): string {
  return `${url}?__token=${token}`
}

function wrong(what: string, found: string, example: string): UserError {
  return new UserError({
    message: `${what} is ${JSON.stringify(found)}`,
    hint: `it looks like ${example}`,
  })
}
