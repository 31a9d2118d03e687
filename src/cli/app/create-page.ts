import { timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { UserError } from '../../wire/errors.ts'
import { isObject } from '../../wire/json.ts'

export interface CreatedApp {
  readonly id: string
  readonly slug: string
  /** The private key, in PEM. */
  readonly key: string
  /** Its page on GitHub. */
  readonly page: string
}

interface CreatePageOptions {
  /** The page of GitHub that accepts a manifest. */
  readonly form: URL
  /** @param redirect where GitHub is to send the browser back to */
  manifestFor(redirect: string): object
  /** The App that a code stands for. @throws UserError when GitHub does not hand it out */
  exchange(code: string): Promise<CreatedApp>
}

/** GitHub keeps a code for an hour. */
const PATIENCE = 3_600_000

/**
 * Serves a page on this machine until GitHub has sent the browser back to it with an App.
 *
 * @throws UserError when it does not come to that
 */
export async function waitForApp(options: CreatePageOptions): Promise<CreatedApp> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // one on TCP has one
  const origin = `http://127.0.0.1:${port}`
  let timer: NodeJS.Timeout | undefined
  try {
    return await new Promise<CreatedApp>((resolve, reject) => {
      server.on('request', pages(origin, options, resolve, reject))
      timer = setTimeout(() => {
        const message = 'an hour has passed without an App'
        reject(new UserError({ message, hint: 'start over' }))
      }, PATIENCE)
      process.stderr.write(`Open this page, and make the App on it: ${origin}/\n`)
    })
  } finally {
    clearTimeout(timer)
    server.close()
    // A browser keeps some open in advance.
    server.closeAllConnections()
  }
}

function pages(
  origin: string,
  { form, manifestFor, exchange }: CreatePageOptions,
  resolve: (app: CreatedApp) => void,
  reject: (error: unknown) => void,
) {
  const state = Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64url')
  const first = firstPage(form, state, manifestFor(`${origin}/created`))
  const headers = {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': `default-src 'none'; style-src 'unsafe-inline'; form-action ${origin} ${form.origin}; frame-ancestors 'none'; base-uri 'none'`,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store',
    connection: 'close',
  }
  let isTaken = false
  return (request: IncomingMessage, response: ServerResponse) => {
    const answer = (status: number, html: string) => {
      response.writeHead(status, headers).end(html)
    }
    const target = `${origin}${request.url}`
    // Any page of the browser can send a request, which must not end the command.
    if (!URL.canParse(target)) return answer(404, page('Page not found'))
    const url = new URL(target)
    // A page elsewhere could give this address a name of its own.
    if (request.headers.host !== new URL(origin).host) return answer(403, page('Wrong host'))
    if (request.method !== 'GET') return answer(405, page('Method not allowed'))
    if (url.pathname === '/') return answer(200, first)
    if (url.pathname !== '/created') return answer(404, page('Page not found'))
    const code = url.searchParams.get('code') ?? ''
    const [given, ours] = [Buffer.from(url.searchParams.get('state') ?? ''), Buffer.from(state)]
    const isOurs = given.length === ours.length && timingSafeEqual(given, ours)
    if (isTaken || !isOurs || !/^[\w-]{1,200}$/.test(code)) {
      return answer(400, page('This is not the answer that was waited for'))
    }
    isTaken = true
    exchange(code).then(
      (app) => {
        whenSent(response, () => resolve(app))
        answer(200, lastPage(app))
      },
      (error: unknown) => {
        whenSent(response, () => reject(error))
        answer(502, page('GitHub did not return the App', '<p>The terminal says more.</p>'))
      },
    )
  }
}

/** The error is ignored if the browser has closed the connection. */
function whenSent(response: ServerResponse, then: () => void): void {
  if (response.destroyed) then()
  else response.once('close', then)
}

function firstPage(form: URL, state: string, manifest: object): string {
  const action = new URL(form)
  action.searchParams.set('state', state)
  const fields = Object.entries(manifest).filter(([name]) => SHOWN.has(name))
  const rows = fields.map(([name, value]) => {
    const parts = isObject(value) ? Object.entries(value).map((part) => part.join(': ')) : [value]
    return `<dt>${SHOWN.get(name)}</dt><dd>${htmlEscaped(parts.join(', '))}</dd>`
  })
  return page(
    'A GitHub App for your relay',
    `<dl>${rows.join('')}</dl>
<form method="post" action="${htmlEscaped(action.href)}">
<input type="hidden" name="manifest" value="${htmlEscaped(JSON.stringify(manifest))}">
<button>Make it on GitHub</button>
</form>
<p>GitHub asks you before it makes the App, and lets you change its name. The App is private: only
repositories of its own account can install it. For those of other accounts, use <em>Make public</em>
in its settings.</p>`,
  )
}

/** The parts of the manifest that the user sees before the App is created. */
const SHOWN: ReadonlyMap<string, string> = new Map([
  ['name', 'Name'],
  ['url', 'Relay'],
  ['default_permissions', 'May'],
])

function lastPage({ slug, page: address }: CreatedApp): string {
  const install = htmlEscaped(`${address}/installations/new`)
  return page(
    `${htmlEscaped(slug)} is made`,
    `<p>Now <a href="${install}">install it</a> on the repositories whose workflows the relay is to
start. You can close this page.</p>`,
  )
}

function page(title: string, content = ''): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<style>
body { font: 16px/1.5 system-ui, sans-serif; max-width: 38rem; margin: 3rem auto; padding: 0 1rem }
dt { font-weight: 600 } dd { margin: 0 0 .5rem } button { font: inherit; padding: .5rem 1rem }
</style></head>
<body><main><h1>${title}</h1>${content}</main></body></html>
`
}

function htmlEscaped(text: string): string {
  return text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`)
}
