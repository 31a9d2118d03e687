import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { parse } from 'yaml'
import { CLI } from './cli.js'

/** @typedef {{ level: string, message: string }} Annotation */
/** @typedef {{ id: number, file: string, title: string, created: string, conclusion: string | null, steps: string[], annotations: Annotation[] }} Run */

/** The action that GitHub runs. */
const ACTION = join(dirname(CLI), '../action/index.js')

/** GitHub's API for octo/shop, with jobs that run the action in a process. */
export class ActionsStandIn {
  /** The key that the sender sends. */
  senderKey = 'key-2'
  /** @type {Record<string, string>} */
  secrets = {}
  /** Tokens that have expired. @type {Set<string>} */
  revoked = new Set()
  /** Disabled files. @type {Set<string>} */
  disabled = new Set()
  /** Files on the default branch. @type {Map<string, string>} */
  files = new Map()
  /** Newest first. @type {Run[]} */
  runs = []
  #node
  #now

  /** @param {string} node @param {() => number} now */
  constructor(node, now) {
    this.#node = node
    this.#now = now
  }

  /**
   * Pushes a workflow whose first job runs the action for requests to its own name.
   *
   * @param {string} name
   * @param {string} [on] text of the input
   */
  workflow(name, on = 'webhook') {
    const file = {
      name,
      'run-name': `${name} \${{ github.event.client_payload.headers['x-hookline-delivery'] }}`,
      on: { repository_dispatch: { types: ['webhook'] } },
      permissions: {},
      jobs: {
        [name]: {
          if: `startsWith(github.event.client_payload.path, '${name}/webhook')`,
          'runs-on': 'ubuntu-latest',
          steps: [
            { id: 'hookline', uses: 'hookline/hookline@v1', with: { on } },
            { if: "steps.hookline.outputs.triggered == 'true'", run: 'make' },
          ],
        },
      },
    }
    this.files.set(`${name}.yml`, JSON.stringify(file, null, 2))
  }

  /** @param {import('node:http').IncomingMessage} request @param {import('node:http').ServerResponse} response */
  async answer(request, response) {
    let body = ''
    for await (const chunk of request) body += chunk
    const { pathname } = new URL(request.url ?? '', 'http://github.invalid')
    const [, bearer = ''] =
      /^(?:bearer|token) (.*)/i.exec(request.headers.authorization ?? '') ?? []
    const value =
      pathname === '/gh'
        ? this.#gh(body.split(' '))
        : this.revoked.has(bearer)
          ? 401
          : request.method === 'POST'
            ? this.#dispatched(JSON.parse(body).client_payload)
            : this.#read(pathname.replace('/repos/octo/shop', ''), request.headers.accept ?? '')
    const status = typeof value === 'number' ? value : 200
    const text = typeof value === 'string' ? value : JSON.stringify(status === 200 ? value : {})
    const date = new Date(this.#now()).toUTCString()
    response.writeHead(status, { 'content-type': 'application/json', date })
    response.end(status === 204 ? '' : text)
  }

  /** The commands of `gh` that the cures name. @param {string[]} words */
  #gh([what, verb, name = '']) {
    if (`${what} ${verb}` === 'secret set') this.secrets[name] = this.senderKey
    if (`${what} ${verb}` === 'workflow enable') this.disabled.delete(name)
    return `${what} ${verb}: ${name}\n`
  }

  /** @param {string} path @param {string} accept @returns {unknown} a number is a status */
  #read(path, accept) {
    if (path === '') {
      return { full_name: 'octo/shop', default_branch: 'main', permissions: { push: true } }
    }
    const folder = '/contents/.github/workflows'
    const listed = [...this.files].map(([name]) => ({ name, type: 'file' }))
    if (path === folder) return listed
    if (path.startsWith(`${folder}/`)) {
      const text = this.files.get(path.slice(folder.length + 1))
      if (text === undefined) return 404
      return accept.includes('raw')
        ? text
        : { content: Buffer.from(text).toString('base64'), encoding: 'base64' }
    }
    if (path === '/actions/workflows') {
      const workflows = listed.map(({ name }) => ({
        path: `.github/workflows/${name}`,
        state: this.disabled.has(name) ? 'disabled_manually' : 'active',
      }))
      return { total_count: workflows.length, workflows }
    }
    if (path === '/actions/runs') {
      return {
        total_count: this.runs.length,
        workflow_runs: this.runs.slice(0, 100).map(listedRun),
      }
    }
    const [, id] = /^\/(?:actions\/runs|check-runs)\/(\d+)/.exec(path) ?? []
    const run = this.runs.find((one) => one.id === Number(id))
    if (!run) return 404
    if (path.endsWith('/annotations')) {
      return run.annotations.map(({ level, message }) => ({ annotation_level: level, message }))
    }
    if (!path.endsWith('/jobs')) return listedRun(run)
    const steps = run.steps.map((conclusion, at) => ({ name: `step ${at + 1}`, conclusion }))
    return {
      total_count: 1,
      jobs: [{ id: run.id, name: 'job', conclusion: run.conclusion, steps }],
    }
  }

  /** Starts every workflow that listens. @param {any} payload */
  #dispatched(payload) {
    for (const [file, text] of this.files) {
      if (this.disabled.has(file)) continue
      const { name, jobs } = parse(text)
      const [job] = Object.values(jobs)
      const [, path] = /path, '([^']+)'/.exec(job.if) ?? []
      /** @type {Run} */
      const run = {
        ...{ id: this.runs.length + 1, file, steps: [], annotations: [], conclusion: null },
        title: `${name} ${payload.headers['x-hookline-delivery']}`,
        created: new Date(this.#now()).toISOString(),
      }
      this.runs.unshift(run)
      if (payload.path.startsWith(path)) void this.#run(run, payload, job.steps[0].with.on)
      else run.conclusion = 'skipped'
    }
    return 204
  }

  /** @param {Run} run @param {unknown} payload @param {string} on */
  async #run(run, payload, on) {
    const folder = await mkdtemp(join(tmpdir(), 'hookline-job-'))
    const files = ['EVENT_PATH', 'OUTPUT', 'STATE', 'STEP_SUMMARY'].map((name) => [
      `GITHUB_${name}`,
      join(folder, name),
    ])
    const event = { action: 'webhook', client_payload: payload, repository: { private: true } }
    for (const [name, path = ''] of files) {
      await writeFile(path, name === 'GITHUB_EVENT_PATH' ? JSON.stringify(event) : '')
    }
    const env = {
      ...Object.fromEntries(files),
      ...{ GITHUB_ACTIONS: 'true', GITHUB_EVENT_NAME: 'repository_dispatch', GITHUB_RUN_ID: '1' },
      ...{ GITHUB_WORKSPACE: folder, GITHUB_REPOSITORY: 'octo/shop' },
      GITHUB_WORKFLOW_REF: `octo/shop/.github/workflows/${run.file}@refs/heads/main`,
      ...{ INPUT_ON: on, INPUT_SECRETS: JSON.stringify(this.secrets) },
    }
    const child = spawn(this.#node, [ACTION], { env, stdio: ['ignore', 'pipe', 'inherit'] })
    let log = ''
    child.stdout.setEncoding('utf8').on('data', (text) => {
      log += text
    })
    const status = await new Promise((resolve) => child.on('close', resolve))
    const outputs = await readFile(join(folder, 'OUTPUT'), 'utf8')
    await rm(folder, { recursive: true })
    run.annotations = [...log.matchAll(/^::(notice|warning|error)(?: [^:]*)?::(.*)$/gm)].map(
      ([, level = '', message = '']) => ({
        level: level === 'error' ? 'failure' : level,
        message: message.replaceAll('%0A', '\n').replaceAll('%25', '%'),
      }),
    )
    const hasFired = /^triggered<<(\S+)\r?\ntrue/m.test(outputs)
    run.conclusion = status === 0 ? 'success' : 'failure'
    run.steps = [run.conclusion, status === 0 && hasFired ? 'success' : 'skipped']
  }
}

/** @param {Run} run */
function listedRun({ id, file, title, created, conclusion }) {
  return {
    ...{ id, display_title: title, created_at: created, event: 'repository_dispatch' },
    path: `.github/workflows/${file}`,
    status: conclusion === null ? 'in_progress' : 'completed',
    conclusion,
    html_url: `https://github.com/octo/shop/actions/runs/${id}`,
  }
}
