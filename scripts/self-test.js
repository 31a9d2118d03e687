// GH_TOKEN=… REPOSITORY=<owner>/<name> REF=<branch> node scripts/self-test.js
//
// Sends real webhooks to this repository, as the relay does, and checks each assumption of the code about
// GitHub that only GitHub can confirm. Needs the permissions `actions: write` and `contents: write`, and the
// workflow self-test-listen on the default branch. Prints a line for each check; exits 1 after a difference.
import { pathToFileURL } from 'node:url'
import { GITHUB_API_VERSION } from '../src/wire/api-version.ts'
import { isRunOf, recentRuns, runsPath } from '../src/wire/run-lookup.ts'

const LISTENER = 'self-test-listen'
const BRANCH = 'self-test'

/**
 * @typedef {object} Options
 * @property {string} token
 * @property {string} repository `owner/name`
 * @property {string} ref
 * @property {string} [apiUrl]
 * @property {(milliseconds: number) => Promise<unknown>} [sleep]
 */

/** How long a run may take to appear and to end, in milliseconds, and the pause between two looks. */
const PATIENCE = { appears: 2 * 60_000, ends: 15 * 60_000, pause: 10_000 }

/** @typedef {(api: GitHub) => Promise<void>} Check throws an error that names the difference */

/** @type {Record<string, Check>} */
export const CHECKS = {
  'a dispatch that no workflow listens to is accepted with 204': async (api) => {
    await api.ask('POST', '/dispatches', { event_type: 'self-test-nobody' }, 204)
  },
  'repository_dispatch starts a run that the unfiltered listing shows by its delivery id': async (
    api,
  ) => {
    const delivery = await api.dispatch({ key: crypto.randomUUID() })
    await api.endsWith(delivery, 'success')
  },
  'the lookup of the relay and the commands finds the run of a delivery': async (api) => {
    const delivery = await api.dispatch({ key: crypto.randomUUID() })
    const id = await api.endsWith(delivery, 'success')
    const found = await api.lookUp(delivery)
    if (found !== id) throw new Error(`the lookup finds ${found}, not ${id}`)
  },
  'the runner evaluates `env` before `if`, and fails the job despite `continue-on-error`': async (
    api,
  ) => {
    const delivery = await api.dispatch({ key: crypto.randomUUID() })
    const jobs = await api.jobs(await api.endsWith(delivery, 'success'))
    const conclusion = jobs.find(({ name }) => name === 'order')?.conclusion
    if (conclusion !== 'failure') throw new Error(`the job "order" ended with ${conclusion}`)
  },
  'workflow_dispatch answers with the id of its run': async (api) => {
    const id = await api.dispatchWorkflow({ key: crypto.randomUUID() })
    const conclusion = await api.conclusion(id)
    if (conclusion !== 'success') throw new Error(`the run ended with ${conclusion}`)
  },
  'of two concurrent runs with one key, one fires': async (api) => {
    const event = { key: crypto.randomUUID() }
    const deliveries = await Promise.all([api.dispatch(event), api.dispatch(event)])
    const fired = []
    for (const delivery of deliveries) {
      const id = await api.endsWith(delivery, 'success')
      if ((await api.jobs(id)).some((job) => job.name === 'fired' && job.conclusion === 'success'))
        fired.push(delivery)
    }
    if (fired.length !== 1) throw new Error(`${fired.length} of the two runs fired`)
  },
  'queue: max lets three runs of one group wait, and cancels none': async (api) => {
    const deliveries = []
    for (let n = 0; n < 3; n++) deliveries.push(await api.dispatch({ key: crypto.randomUUID() }))
    for (const delivery of deliveries) await api.endsWith(delivery, 'success')
  },
  'file(path:) of a commit returns the entries of a folder': async (api) => {
    const { entries } = await api.tree()
    const folder = entries.find(({ type }) => type === 'tree')
    if (!folder) throw new Error(`the branch ${BRANCH} has no folder`)
    const { files } = await api.tree(folder.name)
    if (files.length === 0) throw new Error(`${folder.name} has no entries`)
  },
  'createCommitOnBranch refuses a commit on an outdated head with STALE_DATA': async (api) => {
    const { parent } = await api.tree()
    if (!parent) throw new Error(`the branch ${BRANCH} has one commit only`)
    const { errors } = await api.graphql(
      `mutation($input: CreateCommitOnBranchInput!) {
        createCommitOnBranch(input: $input) { commit { oid } }
      }`,
      {
        input: {
          branch: { repositoryNameWithOwner: api.repository, branchName: BRANCH },
          message: { headline: 'never' },
          expectedHeadOid: parent,
          fileChanges: { additions: [{ path: 'never', contents: '' }] },
        },
      },
    )
    if (errors?.[0]?.type !== 'STALE_DATA') throw new Error(`the answer is ${describe(errors)}`)
  },
}

/** The calls of the checks. */
class GitHub {
  /** @param {Options} options */
  constructor({ token, repository, ref, apiUrl, sleep }) {
    this.repository = repository
    this.ref = ref
    this.apiUrl = apiUrl ?? 'https://api.github.com'
    this.sleep =
      sleep ?? ((milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)))
    this.headers = {
      accept: 'application/vnd.github+json',
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      'x-github-api-version': GITHUB_API_VERSION,
    }
  }

  /**
   * @param {string} method
   * @param {string} path below the repository
   * @param {unknown} [body]
   * @param {number} [wanted] status
   * @returns {Promise<any>} the answer; `undefined` without a body
   */
  async ask(method, path, body, wanted = 200) {
    const answer = await fetch(`${this.apiUrl}/repos/${this.repository}${path}`, {
      method,
      headers: this.headers,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    if (answer.status !== wanted)
      throw new Error(`${method} ${path} answers ${answer.status}, not ${wanted}`)
    return answer.status === 204 ? undefined : answer.json()
  }

  /**
   * @param {string} query
   * @param {object} variables
   * @returns {Promise<any>}
   */
  async graphql(query, variables) {
    const answer = await fetch(`${this.apiUrl}/graphql`, {
      method: 'POST',
      headers: this.headers,
      body: JSON.stringify({ query, variables }),
    })
    if (!answer.ok) throw new Error(`the GraphQL API answers ${answer.status}`)
    return answer.json()
  }

  /**
   * Starts runs by repository_dispatch, in the form that the relay sends.
   *
   * @param {object} fields of the body
   * @returns {Promise<string>} the delivery id
   */
  async dispatch(fields) {
    const { delivery, request } = requestOf(fields)
    await this.ask('POST', '/dispatches', { event_type: 'webhook', client_payload: request }, 204)
    return delivery
  }

  /**
   * Starts a run by workflow_dispatch.
   *
   * @param {object} fields of the body
   * @returns {Promise<number>} the id of the run
   */
  async dispatchWorkflow(fields) {
    const inputs = { hookline: JSON.stringify(requestOf(fields).request) }
    const path = `/actions/workflows/${LISTENER}.yml/dispatches`
    const body = { ref: this.ref, inputs }
    const { workflow_run_id: id } = await this.ask('POST', path, body)
    if (typeof id !== 'number') throw new Error('the answer has no workflow_run_id')
    return id
  }

  /**
   * Waits for the end of the run of a delivery.
   *
   * @param {string} delivery
   * @param {string} wanted conclusion
   * @returns {Promise<number>} the id of the run
   */
  async endsWith(delivery, wanted) {
    const id = await this.#until(PATIENCE.appears, `no run of ${delivery} is listed`, async () => {
      const { workflow_runs: runs } = await this.ask('GET', '/actions/runs?per_page=100')
      const isOf = (/** @type {{ display_title: string }} */ run) =>
        run.display_title === `${LISTENER} ${delivery}`
      return runs.find(isOf)?.id
    })
    const conclusion = await this.conclusion(id)
    if (conclusion !== wanted) throw new Error(`run ${id} ended with ${conclusion}`)
    return id
  }

  /** @param {number} id */
  conclusion(id) {
    return this.#until(PATIENCE.ends, `run ${id} does not end`, async () => {
      const { status, conclusion } = await this.ask('GET', `/actions/runs/${id}`)
      return status === 'completed' ? conclusion : undefined
    })
  }

  /**
   * @param {number} id
   * @returns {Promise<{ name: string, conclusion: string }[]>}
   */
  async jobs(id) {
    return (await this.ask('GET', `/actions/runs/${id}/jobs`)).jobs
  }

  /**
   * Looks for the run of a delivery with the code of the relay and the commands.
   *
   * @param {string} delivery
   * @returns {Promise<number | undefined>} the id of the run
   */
  async lookUp(delivery) {
    const isFound = (/** @type {import('../src/wire/run-lookup.ts').WorkflowRun} */ run) =>
      isRunOf(run, delivery)
    const readPage = async (/** @type {number} */ page) => {
      const path = runsPath(this.repository, page).replace(`/repos/${this.repository}`, '')
      return (await this.ask('GET', path)).workflow_runs
    }
    const runs = await recentRuns(readPage, { isEnough: (read) => read.some(isFound) })
    return runs.find(isFound)?.id
  }

  /**
   * The newest commit of the branch that holds the state.
   *
   * @param {string} folder whose entries are listed too
   * @returns {Promise<{ entries: { name: string, type: string }[], files: object[], parent: string | undefined }>}
   */
  async tree(folder = '') {
    const [owner, name] = this.repository.split('/')
    const { data, errors } = await this.graphql(
      `query($owner: String!, $name: String!, $ref: String!${folder && ', $folder: String!'}) {
        repository(owner: $owner, name: $name) { ref(qualifiedName: $ref) { target { ... on Commit {
          tree { entries { name type } }
          parents(first: 1) { nodes { oid } }
          ${folder && 'file(path: $folder) { object { ... on Tree { entries { name } } } }'}
        } } } }
      }`,
      { owner, name, ref: `refs/heads/${BRANCH}`, ...(folder && { folder }) },
    )
    const commit = data?.repository?.ref?.target
    if (!commit) throw new Error(`the branch ${BRANCH} cannot be read: ${describe(errors)}`)
    return {
      entries: commit.tree.entries,
      files: commit.file?.object?.entries ?? [],
      parent: commit.parents.nodes[0]?.oid,
    }
  }

  /**
   * @template Found
   * @param {number} limit in milliseconds
   * @param {string} fault
   * @param {() => Promise<Found | undefined>} look
   * @returns {Promise<Found>}
   */
  async #until(limit, fault, look) {
    for (let waited = 0; waited <= limit; waited += PATIENCE.pause) {
      const found = await look()
      if (found !== undefined) return found
      await this.sleep(PATIENCE.pause)
    }
    throw new Error(`${fault} within ${limit / 60_000} minutes`)
  }
}

/** @param {object} fields */
function requestOf(fields) {
  const delivery = crypto.randomUUID()
  const request = {
    path: `${LISTENER}/webhook/hello?from=self-test`,
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-hookline-delivery': delivery },
    body: JSON.stringify({ ...fields, message: 'Hello "world" $(id)' }),
  }
  return { delivery, request }
}

/** @param {unknown} value */
function describe(value) {
  return JSON.stringify(value)?.slice(0, 200)
}

/**
 * Runs all checks, one after the other.
 *
 * @param {Options} options
 * @param {(line: string) => void} print
 * @returns {Promise<boolean>} whether GitHub behaves as the code assumes
 */
export async function selfTest(options, print) {
  const api = new GitHub(options)
  let isRight = true
  for (const [name, check] of Object.entries(CHECKS)) {
    try {
      await check(api)
      print(`as assumed: ${name}`)
    } catch (error) {
      isRight = false
      print(`different: ${name}: ${/** @type {Error} */ (error).message}`)
    }
  }
  return isRight
}

async function main() {
  const { GH_TOKEN: token = '', REPOSITORY: repository = '', REF: ref = 'main' } = process.env
  if (!token || !repository) throw new Error('set GH_TOKEN and REPOSITORY')
  const isRight = await selfTest({ token, repository, ref }, console.log)
  if (!isRight) process.exitCode = 1
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await main()
