import { appendFileSync, chmodSync, closeSync, openSync, readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import { Command, Option } from 'commander'
import { baseAddress, RELAY_ADDRESS, readAddress } from '../wire/address.ts'
import { UserError } from '../wire/errors.ts'
import { fieldsOf } from '../wire/github-api.ts'
import { isOwner } from '../wire/path.ts'
import { DISPATCH_MODES, type DispatchMode } from '../wire/payload.ts'
import { printable } from '../wire/printable.ts'
import { environmentHelp } from '../wire/settings-help.ts'
import { systemProblem } from '../wire/system-error.ts'
import { type CreatedApp, waitForApp } from './app/create-page.ts'
import { forgeHere, onlyGitHub } from './forge.ts'
import { refusePlainText } from './forge-tokens.ts'
import { githubAt } from './github-client.ts'
import { unreachableGitHub } from './request-faults.ts'
import { print } from './terminal.ts'

/**
 * Creates a GitHub App from a manifest:
 * https://docs.github.com/apps/sharing-github-apps/registering-a-github-app-from-a-manifest
 *
 *   1. A page on this machine sends the browser to GitHub with the manifest and a `state`.
 *   2. The user confirms, and GitHub sends the browser back with a code and the `state`.
 *   3. The command exchanges the code for the App's id and key. GitHub accepts a code once.
 */
interface CreateOptions {
  readonly relay: string
  readonly org?: string
  readonly dispatch?: DispatchMode
  readonly out?: string
}

const HELP = `
With --out the command adds the id and key of the App to a file that only you
can read. Without --out it prints id and key.

${environmentHelp('HOOKLINE_SERVER_URL', 'HOOKLINE_API_URL')}

Examples:
  $ hookline app create --relay https://relay.example.com --out relay.env
  $ hookline app create --relay https://relay.example.com --dispatch workflow`

export function appCommand(): Command {
  return new Command('app')
    .description('create a GitHub App as the credential of a relay')
    .addHelpText('after', '\nExample:\n  $ hookline app create --relay https://relay.example.com')
    .addCommand(
      new Command('create')
        .description('create a GitHub App for a relay, in the browser')
        .requiredOption('--relay <url>', 'address of the relay')
        .option('--org <organization>', 'create the App for an organization')
        .addOption(
          new Option(
            '--dispatch <mode>',
            'how the relay starts workflows (default: repository)',
          ).choices(DISPATCH_MODES),
        )
        .option('--out <file>', 'add the settings of the relay to this file')
        .addHelpText('after', HELP)
        .action(create),
    )
}

async function create(options: CreateOptions): Promise<void> {
  const forge = onlyGitHub(await forgeHere(), 'app create')
  const { apiUrl, webUrl } = refusePlainText(forge, "the App's private key")
  const form = formAddress(new URL(webUrl), options.org)
  const relay = readAddress(options.relay, RELAY_ADDRESS)
  const dispatch = options.dispatch ?? 'repository'
  const file = options.out === undefined ? undefined : prepareFile(options.out)
  const app = await waitForApp({
    form,
    manifestFor: (redirect) => manifest(relay, redirect, dispatch),
    exchange: (code) => exchange(apiUrl, code),
  })
  const { id, slug, page } = app
  const install = `${page}/installations/new`
  if (file) {
    const text = file.separator + settings(app)
    // The mode counts if the file was deleted while the page waited.
    appendFileSync(file.path, text, { mode: 0o600 })
    const done = `created ${slug}; its id and key are in ${file.path}\nInstall it: ${install}`
    return print(printable(done))
  }
  const text = [
    `# Install ${slug}`,
    install,
    '',
    '# npx wrangler secret put HOOKLINE_APP_ID',
    id,
    '',
    '# npx wrangler secret put HOOKLINE_APP_KEY',
    escapedLines(app.key),
  ].join('\n')
  print(printable(text))
}

/** The address that accepts a manifest. @throws UserError for an invalid organization */
function formAddress(server: URL, org: string | undefined): URL {
  if (org !== undefined && !isOwner(org)) {
    throw new UserError({
      message: `--org ${JSON.stringify(org)} is not the name of an organization`,
      hint: `Use the name in the address of its page: ${baseAddress(server)}/<organization>`,
    })
  }
  const path = `${org === undefined ? '' : `/organizations/${org}`}/settings/apps/new`
  return new URL(baseAddress(server) + path)
}

/** Characters. GitHub refuses a longer name. */
const MAX_NAME_LENGTH = 34

function manifest(relay: URL, redirect: string, dispatch: DispatchMode): object {
  const permission = dispatch === 'workflow' ? 'actions' : 'contents'
  return {
    name: `Hookline ${relay.hostname}`.slice(0, MAX_NAME_LENGTH),
    url: relay.href,
    description: 'Starts workflows of GitHub Actions by webhooks.',
    hook_attributes: { url: relay.href, active: false },
    redirect_url: redirect,
    public: false,
    default_permissions: { [permission]: 'write' },
    default_events: [],
  }
}

/**
 * Checks that the file can store the key, before GitHub creates the App.
 *
 * @returns with `separator`: a line break, if the last line of the file has none
 * @throws UserError for a file that cannot be written, or that already has an App
 */
function prepareFile(path: string) {
  try {
    closeSync(openSync(path, 'a', 0o600))
    chmodSync(path, 0o600)
  } catch (cause) {
    const { message, ...cure } = systemProblem(cause, path) ?? {
      message: `${path} cannot be written`,
    }
    throw new UserError({ message, ...cure }, { cause })
  }
  const text = readFileSync(path, 'utf8')
  const names = parseEnv(text)
  for (const name of ['HOOKLINE_APP_ID', 'HOOKLINE_APP_KEY']) {
    if (!(name in names)) continue
    throw new UserError({
      message: `${path} already sets ${name}`,
      hint: `Choose another file, or remove ${name} from this file.`,
    })
  }
  const separator = text === '' || text.endsWith('\n') ? '' : '\n'
  return { path, separator }
}

/** Lines that a shell, systemd, Docker and Node's `--env-file` read alike. */
function settings({ id, slug, key, page }: CreatedApp): string {
  const lines = [
    `# The GitHub App ${slug}: ${page}`,
    `HOOKLINE_APP_ID=${id}`,
    `HOOKLINE_APP_KEY="${escapedLines(key)}"`,
  ]
  return `${lines.join('\n')}\n`
}

function escapedLines(key: string): string {
  return key.trim().replace(/\r?\n/g, '\\n')
}

async function exchange(apiUrl: URL, code: string): Promise<CreatedApp> {
  const call = githubAt(apiUrl, undefined)(`/app-manifests/${code}/conversions`, { json: '{}' })
  const { answer } = await call.catch((cause: unknown) => {
    throw unreachableGitHub(cause)
  })
  const { id, slug, pem, html_url } = fieldsOf(answer)
  if (answer.status !== 201 || typeof pem !== 'string') {
    throw new UserError({
      message: `GitHub returned no App (status ${answer.status})`,
      hint: 'If the App exists, delete it in your settings at GitHub, under Developer settings > GitHub Apps, and run the command again.',
    })
  }
  return { id: String(id), slug: String(slug), key: pem, page: String(html_url) }
}
