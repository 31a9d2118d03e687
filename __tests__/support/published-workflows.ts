import { LISTENING } from '../cli/doctor/stand-in.ts'
import type { Answering } from './github.ts'

/** GitHub with one private repository, and files on its default branch `main`. Every event is accepted. */
export function publishedWorkflows(
  files: Readonly<Record<string, string>>,
  repository = 'octo/shop',
): Answering {
  const json = (value: unknown) => ({
    status: 200,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(value),
  })
  const missing = { status: 404, body: '{"message":"Not Found"}' }
  return ({ method, url, headers }) => {
    if (!headers.authorization) return missing
    if (method === 'POST') return { status: 204 }
    const { pathname } = new URL(url, 'http://github.invalid')
    const base = `/repos/${repository}`
    if (pathname === base) return json({ default_branch: 'main', permissions: { push: true } })
    if (pathname === `${base}/contents/.github/workflows`) {
      return json(Object.keys(files).map((name) => ({ name })))
    }
    const file = pathname.slice(`${base}/contents/.github/workflows/`.length)
    const text = pathname.startsWith(`${base}/contents/.github/`) ? files[file] : undefined
    return text === undefined ? missing : { status: 200, body: text }
  }
}

/** A workflow whose action has these triggers, as the text of `on:`. */
export function workflowWith(on: string, env = ''): string {
  const lines = on.split('\n').map((line) => `            ${line}`)
  return LISTENING.replace(
    'with: { on: webhook }',
    `with:\n          on: |\n${lines.join('\n')}${env}`,
  )
}
