import { describe, expect, test } from '@jest/globals'
import { parse, parseDocument } from 'yaml'
import { fileExpressions } from '../../src/workflow/file-expressions.ts'
import { dispatchEvent, runInShared } from '../support/action.ts'
import { compileText, FIXTURES, WORKFLOWS } from './support/compiled.ts'
import { evaluate, fillIn } from './support/evaluate.ts'

/** The request of a sender by workflow; default: `{}` without a query. */
const REQUESTS: Readonly<Record<string, Partial<Sent>>> = {
  environments: { rest: '/production/4f2a' },
  'python-matrix': { rest: '/release/1.2.3' },
  rust: { rest: '?filter=unit', method: 'put' },
  'docker-publish': { body: { push_data: { tag: 'v1' } } },
  'self-hosted': { rest: '/lab/rig-7?minutes=5&soft=yes' },
  'scheduled-stale': { method: 'delete', rest: '?days=30&tag=a&tag=b' },
  'composite-conditions': { body: { kind: 'a' } },
  'postgres-service': { rest: '?pg=15', method: 'get' },
  'no-name': { method: 'head' },
  'aws-oidc': { rest: '/deploy', body: { tag: 'abc' } },
  'moved-env': { rest: '/test', body: { title: "it's" } },
  unicode: { rest: '/gruesse/J%C3%B6rg%20%F0%9F%8E%89', body: { emoji: '🎉' } },
  user: { method: 'put', rest: '/users/42', body: { email: 'a@example.com' } },
  batch: { rest: '/doc/7', body: { title: 't' } },
  form: { body: { name: "O'Neill", message: '<b>&"' } },
}

interface Sent {
  readonly method: string
  /** The part of the URL after the trigger. */
  readonly rest: string
  readonly body: unknown
}

const CONTEXTS = {
  github: {
    repository: 'octo/repo',
    ref: 'refs/heads/main',
    event_name: 'repository_dispatch',
    event: { action: 'webhook' },
  },
  secrets: { API_TOKEN: 's' },
  vars: { HOOK_PATH: '/x', KEY_ROOT: 'a', KEY_LEAF: 'b', STAGE: 'test' },
}

const EXAMPLES = ['form', 'github', 'user', 'webhook']
const EXECUTED = WORKFLOWS.filter(
  ([name]) => name !== 'bot' && (EXAMPLES.includes(name) || FIXTURES.includes(name)),
)

describe.each(EXECUTED)('%s, compiled and run on a webhook,', (name, source) => {
  test('gives each of its expressions the value that it means on the event', async () => {
    const sent = {
      method: 'post',
      rest: name === 'secrets-and-vars' ? '/x' : '',
      body: { title: 't', a: 1, items: [{ id: 7 }] },
      ...REQUESTS[name],
    }
    const { main, jobs } = await compileText(source, { name })
    const contexts = await jobContexts(main, name, sent)
    expect(contexts).toHaveLength(1)
    for (const one of contexts) {
      expect(values(jobs, { ...CONTEXTS, inputs: {}, ...one })).toEqual(
        values(source, { ...CONTEXTS, inputs: {}, on: meantBy(source, sent) }),
      )
    }
  })

  test('runs no job for a webhook of another workflow, and means nothing by one of GitHub', async () => {
    const { main, jobs, isOne } = await compileText(source, { name })
    const other = { method: 'post', rest: '', body: null, workflow: 'other' }
    expect(await jobContexts(main, name, other)).toEqual([])
    const listensOnly = Object.keys(parse(main).on).join() === 'repository_dispatch'
    if (listensOnly) return
    const [one] = isOne
      ? [{ needs: { on: { outputs: {} } } }]
      : await jobContexts(main, name, undefined)
    const on = { webhook: { outcome: 'skipped', conclusion: 'skipped', outputs: {} } }
    expect(values(jobs, { ...CONTEXTS, inputs: {}, ...one })).toEqual(
      values(source, { ...CONTEXTS, inputs: {}, on }),
    )
  })
})

/**
 * Runs the job `on` with the built action, and returns the contexts of each job that its items
 * start.
 */
async function jobContexts(
  main: string,
  workflow: string,
  sent: (Sent & { workflow?: string }) | undefined,
): Promise<Record<string, unknown>[]> {
  const { on, each } = parse(main).jobs
  const event = sent ? dispatchEvent(payloadOf(workflow, sent)) : { event: 'push', payload: {} }
  const github = {
    event_name: event.event,
    event: event.payload,
    workflow_ref: `o/r/.github/workflows/${workflow}.yml@refs/heads/main`,
  }
  if (on.if !== undefined && !evaluate(on.if, { github, inputs: {} })) return []
  const [step] = on.steps
  const filled = (texts: object) =>
    Object.fromEntries(
      Object.entries(texts).map(([key, value]) => [key, fillIn(String(value), CONTEXTS)]),
    )
  const { outputs, exitCode, stdout } = await runInShared({
    ...event,
    calling: workflow,
    inputs: filled(step.with),
    env: filled({ ...parse(main).env, ...on.env }),
  })
  expect([exitCode, stdout.match(/^::error.*/m)]).toEqual([0, null])
  const needs = { on: { outputs: filledOutputs(on.outputs, outputs), result: 'success' } }
  if (!each) return needs.on.outputs.triggered === 'true' ? [{ needs }] : []
  if (!evaluate(each.if, { needs })) return []
  const matrix = evaluate(each.strategy.matrix.on.slice(3, -2), { needs })
  if (!Array.isArray(matrix)) throw new Error('the matrix is no list')
  return matrix.map((item) => ({ inputs: { on: fillIn(each.with.on, { matrix: { on: item } }) } }))
}

function filledOutputs(declared: object, outputs: unknown): Record<string, string> {
  return Object.fromEntries(
    Object.entries(declared).map(([key, value]) => [
      key,
      fillIn(String(value), { steps: { on: { outputs } } }),
    ]),
  )
}

function payloadOf(
  workflow: string,
  { method, rest, body, workflow: other }: Sent & { workflow?: string },
) {
  return {
    path: `${other ?? workflow}/webhook${rest}`,
    method: method.toUpperCase(),
    headers: { 'content-type': 'application/json', 'x-a': 'b' },
    body: body === null ? null : JSON.stringify(body),
  }
}

/** The context `on` for a request, by the specification. */
function meantBy(source: string, { method, rest, body }: Sent) {
  const url = new URL(`http://h${rest.startsWith('?') || rest === '' ? `/${rest}` : rest}`)
  const query = Object.fromEntries(
    [...url.searchParams.keys()].map((key) => {
      const all = url.searchParams.getAll(key)
      return [key, all.length > 1 ? all : all[0]]
    }),
  )
  const declared = parse(source).on
  const pattern: string = declared?.webhook?.path ?? ''
  const outputs = {
    method,
    headers: { 'content-type': 'application/json', 'x-a': 'b' },
    query,
    querystring: url.search.slice(1),
    search: url.search,
    body,
    params: paramsOf(pattern, url.pathname),
  }
  return { webhook: { outcome: 'success', conclusion: 'success', outputs } }
}

function paramsOf(pattern: string, path: string): Record<string, string> {
  const segments = path.split('/').map(decodeURIComponent)
  const names = `/${pattern.replace(/^\//, '')}`.split('/')
  const params = names.flatMap((name, at) =>
    name.startsWith(':') ? [[name.slice(1), segments[at] ?? '']] : [],
  )
  return Object.fromEntries(params)
}

/**
 * The values of all expressions outside of `on:` by position, without those that decide whether a
 * job runs. Variables of the workflow that read `on` are in each job.
 */
function values(
  workflow: string,
  contexts: Readonly<Record<string, unknown>>,
): Record<string, unknown[]> {
  const document = parseDocument(workflow)
  const found: Record<string, unknown[]> = {}
  const jobs = Object.entries<object>(parse(workflow).jobs).flatMap(([id, job]) =>
    id === 'on' || 'uses' in job ? [] : [id],
  )
  // The group of the workflow is tested separately.
  for (const key of ['env', 'defaults', 'jobs']) {
    for (const { text, path } of fileExpressions(workflow, document.get(key, true), [key])) {
      const isCondition = path.length === 3 && path[0] === 'jobs' && path[2] === 'if'
      if (isCondition || path[1] === 'on') continue
      const isMoved = key !== 'jobs' && 'on' in contexts && /\bon\./i.test(text)
      const places = isMoved ? jobs.map((id) => ['jobs', id, ...path].join('.')) : [path.join('.')]
      for (const place of places) {
        found[place] = [...(found[place] ?? []), evaluated(text, contexts)]
      }
    }
  }
  return found
}

/** Some expressions need a runner, and fail without it in both the source and the result. */
function evaluated(text: string, contexts: Readonly<Record<string, unknown>>): unknown {
  try {
    return evaluate(text, contexts)
  } catch (error) {
    return error instanceof Error ? error.name : error
  }
}
