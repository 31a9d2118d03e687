import type { Answer, Answering, RecordedCall } from '../../support/github.ts'

/** The state of one repository at a stand-in for GitHub. */
export interface Setting {
  /** Response to `GET /repos/octo/repo`, or fields of the repository. */
  readonly repository?: Answer | Record<string, unknown>
  readonly scopes?: string
  /** When the token expires, in GitHub's format. */
  readonly ends?: string
  /** Content of files in `.github/workflows` by name; or a response that rejects the listing. */
  readonly workflows?: Record<string, string> | Answer
  /** States by file name; default `active`. */
  readonly states?: Record<string, string>
  readonly dispatch?: Answer
  /** The file whose run a dispatch starts. */
  readonly starts?: string
  readonly runs?: Answer
  /** Responses that replace those of the first lookups of runs. */
  readonly runFaults?: readonly Answer[]
  /** The conclusion of a run; `null` while it is in progress. Default: `success`. */
  readonly conclusion?: string | null
  /** The number of its jobs; default 1. */
  readonly jobs?: number
  /** Answers by path, in place of the usual ones. */
  readonly at?: Readonly<Record<string, Answer>>
}

export const LISTENING = `name: hook
on:
  repository_dispatch:
    types: [webhook]
jobs:
  hook:
    runs-on: ubuntu-latest
    steps:
      - uses: hookline/hookline@v1
        with: { on: webhook }
`

/** A workflow for `workflow_dispatch`. */
export const STARTED_DIRECTLY = LISTENING.replace(
  / {2}repository_dispatch:\n.*\n/,
  '  workflow_dispatch: { inputs: { hookline: { type: string } } }\n',
)

/** A workflow without webhooks. */
export const PUSH = 'on: push\njobs: {}\n'

/** Responds like GitHub for octo/repo, whose default branch is `trunk`. */
export function github(setting: Setting): Answering {
  let dispatched = false
  const faults = [...(setting.runFaults ?? [])]
  return (call) => {
    const [path = ''] = call.url.split('?')
    const given = setting.at?.[path]
    if (given) return given
    if (path === '/repos/octo/repo') return repository(setting)
    if (path.startsWith('/repos/octo/repo/contents/.github/workflows'))
      return contents(call, setting)
    if (path === '/repos/octo/repo/actions/workflows') return states(setting)
    const [, started] =
      /^\/repos\/octo\/repo\/actions\/workflows\/(.+)\/dispatches$/.exec(path) ?? []
    if (started !== undefined) return directly(started, setting)
    if (path === '/repos/octo/repo/dispatches') {
      dispatched = true
      return setting.dispatch ?? { status: 204 }
    }
    if (path === '/repos/octo/repo/actions/runs') {
      return faults.shift() ?? runs(setting, dispatched)
    }
    if (/^\/repos\/octo\/repo\/actions\/runs\/\d+$/.test(path)) return json(200, theRun(setting))
    if (/^\/repos\/octo\/repo\/actions\/runs\/\d+\/jobs$/.test(path)) {
      return json(200, { total_count: setting.jobs ?? 1, jobs: [] })
    }
    return json(404, { message: 'Not Found' })
  }
}

export const RUN = 'https://github.com/octo/repo/actions/runs/7'

export interface Ending {
  /** Name of the workflow and of its file. */
  readonly name?: string
  readonly conclusion?: string
  readonly jobs?: readonly object[]
  /** The errors and notices of its job 9. */
  readonly errors?: readonly string[]
  readonly notices?: readonly string[]
  /** The event that starts it; default `repository_dispatch`. */
  readonly event?: string
}

/** GitHub with the workflow on its default branch; each dispatch starts a run with this conclusion. */
export function withRun(
  setting: Setting,
  {
    name = 'hook',
    conclusion = 'success',
    jobs = [],
    errors = [],
    notices = [],
    event = 'repository_dispatch',
  }: Ending = {},
): Answering {
  const others = github(setting)
  const deliveries: string[] = []
  const run = (delivery = '') => ({
    ...{ id: 7, path: `.github/workflows/${name}.yml@trunk` },
    ...{ event, display_title: `${name} ${delivery}` },
    ...{ html_url: RUN, status: 'completed', conclusion, created_at: '2026-01-01T00:00:00Z' },
  })
  return (call, response) => {
    const { pathname } = new URL(call.url, 'http://github.test')
    if (call.method === 'POST') {
      const { client_payload: sent, inputs } = JSON.parse(call.body)
      const { headers } = sent ?? JSON.parse(inputs.hookline)
      deliveries.unshift(headers['x-hookline-delivery'])
      return inputs ? json(200, { workflow_run_id: 7, html_url: RUN }) : { status: 204 }
    }
    if (pathname.endsWith('/runs/7/jobs')) return json(200, { total_count: jobs.length, jobs })
    if (pathname.endsWith('/check-runs/9/annotations')) {
      return json(200, [
        ...notices.map((message) => ({ annotation_level: 'notice', message })),
        ...errors.map((message) => ({ annotation_level: 'failure', message })),
      ])
    }
    if (pathname.endsWith('/runs/7')) return json(200, run(deliveries[0]))
    if (pathname.endsWith('/actions/runs')) {
      return json(200, { workflow_runs: deliveries.map(run) })
    }
    return others(call, response)
  }
}

export function json(status: number, value: unknown, headers: Record<string, string> = {}): Answer {
  return {
    status,
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(value),
  }
}

function isAnswer(value: object): value is Answer {
  return 'status' in value && typeof value.status === 'number'
}

function repository({ repository: own = {}, scopes, ends }: Setting): Answer {
  if (isAnswer(own)) return own
  const known = {
    full_name: 'octo/repo',
    default_branch: 'trunk',
    permissions: { push: true },
    ...own,
  }
  return json(200, known, {
    ...(scopes !== undefined && { 'x-oauth-scopes': scopes }),
    ...(ends !== undefined && { 'github-authentication-token-expiration': ends }),
  })
}

/** Only the default branch has the files. */
function contents(
  { url }: RecordedCall,
  { workflows = { 'hook.yml': LISTENING } }: Setting,
): Answer {
  if (isAnswer(workflows)) return workflows
  const { pathname, searchParams } = new URL(url, 'http://github.test')
  const file = pathname.split('/workflows/')[1]
  if (searchParams.get('ref') !== 'trunk')
    return json(404, { message: 'No commit found for the ref' })
  if (file === undefined)
    return json(
      200,
      Object.keys(workflows).map((name) => ({ name, type: 'file' })),
    )
  const text = workflows[decodeURIComponent(file)]
  return text === undefined ? json(404, { message: 'Not Found' }) : { status: 200, body: text }
}

function states({ states: own = {} }: Setting): Answer {
  const workflows = Object.entries(own).map(([file, state]) => ({
    path: `.github/workflows/${file}`,
    state,
  }))
  return json(200, { total_count: workflows.length, workflows })
}

function directly(file: string, { workflows = {} }: Setting): Answer {
  return file in workflows
    ? json(200, { html_url: 'https://github.com/octo/repo/actions/runs/8' })
    : json(404, { message: 'Not Found' })
}

/** The list has a run after an event has started it. */
function runs(setting: Setting, dispatched: boolean): Answer {
  if (setting.runs) return setting.runs
  const isStarted = dispatched && setting.starts
  return json(200, { workflow_runs: isStarted ? [theRun(setting)] : [] })
}

function theRun({ starts, conclusion = 'success' }: Setting) {
  return {
    id: 7,
    path: `.github/workflows/${starts}@trunk`,
    event: 'repository_dispatch',
    created_at: new Date().toISOString(),
    html_url: 'https://github.com/octo/repo/actions/runs/7',
    status: conclusion === null ? 'in_progress' : 'completed',
    conclusion,
  }
}
