import { appendFileSync, chmodSync, closeSync, openSync, readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import { Command, Option } from 'commander'
import { http } from '../action/http.ts'
import { baseOf, RELAY_ADDRESS, readAddress } from '../wire/address.ts'
import { UserError } from '../wire/errors.ts'
import { HttpFailure } from '../wire/http.ts'
import { isObject, parseJson } from '../wire/json.ts'
import { isOwner } from '../wire/path.ts'
import { DISPATCH_MODES, type DispatchMode } from '../wire/payload.ts'
import { readSetting } from '../wire/settings.ts'
import { environmentHelp } from '../wire/settings-help.ts'
import { type CreatedApp, waitForApp } from './app/create-page.ts'

/**
 * Makes a GitHub App from a manifest:
 * https://docs.github.com/apps/sharing-github-apps/registering-a-github-app-from-a-manifest
 *
 *   1. a page on this machine sends the browser to GitHub, with the manifest and a `state`
 *   2. GitHub asks the person, and sends the browser back with a code and the `state`
 *   3. the code is exchanged for the App's id and key, once
 */
interface CreateOptions {
  readonly relay: string
  readonly org?: string
  readonly dispatch?: DispatchMode
  readonly name?: string
  readonly out?: string
  readonly open: boolean
  readonly json?: boolean
}

const HELP = `
With --out, the App's id and key, and keys that sign grants, are added to a file of environment
variables that only you can read. Without it they are printed, for: wrangler secret put

${environmentHelp('HOOKLINE_DISPATCH', 'HOOKLINE_SERVER_URL', 'HOOKLINE_API_URL')}

Examples:
  $ hookline app create --relay https://relay.example.com --out relay.env
  $ hookline app create --relay https://relay.example.com --org octo --dispatch workflow`

export function appCommand(): Command {
  return new Command('app')
    .description('a GitHub App as what a relay asks GitHub with')
    .addHelpText('after', '\nExample:\n  $ hookline app create --relay https://relay.example.com')
    .addCommand(
      new Command('create')
        .description('make a GitHub App for a relay, on a page of this machine and one of GitHub')
        .requiredOption('--relay <url>', 'address of the relay')
        .option('--org <organization>', 'make it for an organization instead of yourself')
        .addOption(
          new Option(
            '--dispatch <mode>',
            'what it may start workflows by; as HOOKLINE_DISPATCH has it',
          ).choices(DISPATCH_MODES),
        )
        .option('--name <name>', 'its name, which you can change on the page of GitHub')
        .option('--out <file>', 'add what the relay needs to this file')
        .option('--no-open', 'print the address of the page, and do not open it')
        .option('--json', 'print one JSON object')
        .addHelpText('after', HELP)
        .action(create),
    )
}

async function create(options: CreateOptions): Promise<void> {
  const apiUrl = readSetting(process.env, 'HOOKLINE_API_URL')
  const form = formAddress(readSetting(process.env, 'HOOKLINE_SERVER_URL'), options.org)
  const relay = readAddress(options.relay, RELAY_ADDRESS)
  const dispatch = options.dispatch ?? readSetting(process.env, 'HOOKLINE_DISPATCH')
  const file = options.out === undefined ? undefined : prepareFile(options.out)
  const app = await waitForApp({
    form,
    manifestFor: (redirect) => manifest(relay, redirect, { ...options, dispatch }),
    exchange: (code) => exchange(apiUrl, code),
    opens: options.open && process.stderr.isTTY === true && !process.env.CI,
  })
  const { id, slug, page } = app
  const install = `${page}/installations/new`
  if (file) {
    const text = file.separator + (await settings(app, file.hasSignKeys))
    appendFileSync(file.path, text, { mode: 0o600 }) // it may have gone while the page waited
    const fields = { id, slug, page, install, out: file.path }
    const done = `${slug} is made; its id and key stand in ${file.path}\nInstall it: ${install}`
    process.stdout.write(`${options.json ? JSON.stringify(fields) : done}\n`)
  } else {
    const key = oneLine(app.key)
    const text = [
      `# ${slug} is made. Install it`,
      install,
      '',
      '# npx wrangler secret put HOOKLINE_APP_ID',
      id,
      '',
      '# npx wrangler secret put HOOKLINE_APP_KEY',
      key,
      '',
      '# Keys that sign grants, for the relay and for hookline grant',
      'hookline keys create signing',
    ].join('\n')
    process.stdout.write(
      `${options.json ? JSON.stringify({ id, slug, page, install, key }) : text}\n`,
    )
  }
}

/** Where GitHub takes a manifest. @throws UserError for a name that is none */
function formAddress(server: URL, org: string | undefined): URL {
  if (org !== undefined && !isOwner(org)) {
    throw new UserError({ message: `${JSON.stringify(org)} is not the name of an organization` })
  }
  const path = `${org === undefined ? '' : `/organizations/${org}`}/settings/apps/new`
  return new URL(baseOf(server) + path)
}

/** GitHub takes at most so many characters. */
const NAME_LENGTH = 34

function manifest(
  relay: URL,
  redirect: string,
  { dispatch, name }: Pick<CreateOptions, 'dispatch' | 'name'>,
): object {
  const permission = dispatch === 'workflow' ? 'actions' : 'contents'
  return {
    name: (name ?? `Hookline ${relay.hostname}`).slice(0, NAME_LENGTH),
    url: relay.href,
    description: 'Starts workflows of GitHub Actions by webhooks.',
    hook_attributes: { url: relay.href, active: false },
    redirect_url: redirect,
    public: false,
    default_permissions: { [permission]: 'write' },
    default_events: [],
  }
}

interface Output {
  readonly path: string
  /** What must stand between what is there and what is added. */
  readonly separator: string
  readonly hasSignKeys: boolean
}

/**
 * Makes sure, before there is an App, that its key can be kept.
 *
 * @throws UserError for a file that cannot be written, or has an App already
 */
function prepareFile(path: string): Output {
  try {
    closeSync(openSync(path, 'a', 0o600))
    chmodSync(path, 0o600)
  } catch (cause) {
    throw new UserError({ message: `${path} cannot be written` }, { cause })
  }
  const text = readFileSync(path, 'utf8')
  const names = parseEnv(text)
  for (const name of ['HOOKLINE_APP_ID', 'HOOKLINE_APP_KEY']) {
    if (!(name in names)) continue
    throw new UserError({
      message: `${path} sets ${name} already`,
      hint: 'take another file, or remove the App that stands there',
    })
  }
  const separator = text === '' || text.endsWith('\n') ? '' : '\n'
  return { path, separator, hasSignKeys: 'HOOKLINE_SIGNING_KEYS' in names }
}

/** As shells, systemd, Docker's and Node's `--env-file` read them. */
async function settings({ id, slug, key, page }: CreatedApp, hasSignKeys: boolean) {
  const lines = [
    `# The GitHub App ${slug}: ${page}`,
    `HOOKLINE_APP_ID=${id}`,
    `HOOKLINE_APP_KEY="${oneLine(key)}"`,
  ]
  if (hasSignKeys || readSetting(process.env, 'HOOKLINE_SIGNING_KEYS'))
    return `${lines.join('\n')}\n`
  const { generateSigningKey } = await import('../relay/credentials/grant.ts')
  const { jwk } = await generateSigningKey()
  const keys = JSON.stringify({ keys: [jwk] })
  return `${[...lines, `HOOKLINE_SIGNING_KEYS='${keys}'`].join('\n')}\n`
}

function oneLine(key: string): string {
  return key.trim().replace(/\r?\n/g, '\\n')
}

const TIMEOUT = 15_000

/** The App that a code stands for; GitHub hands it out once. */
async function exchange(apiUrl: URL, code: string): Promise<CreatedApp> {
  const url = `${baseOf(apiUrl)}/app-manifests/${code}/conversions`
  const headers = { accept: 'application/vnd.github+json', 'x-github-api-version': '2022-11-28' }
  const reply = await http({ method: 'POST', url, headers, timeout: TIMEOUT }).catch(
    (cause: unknown) => {
      if (!(cause instanceof HttpFailure)) throw cause
      throw new UserError({ message: `GitHub did not answer: ${cause.message}` }, { cause })
    },
  )
  const app = reply.status === 201 ? parseJson(reply.text) : undefined
  if (!isObject(app) || typeof app.pem !== 'string') {
    throw new UserError({
      message: `GitHub did not hand out the App (${reply.status})`,
      hint: 'the App may be there without its key: delete it in the settings, and start over',
    })
  }
  const { id, slug, pem, html_url } = app
  return { id: String(id), slug: String(slug), key: pem, page: String(html_url) }
}
