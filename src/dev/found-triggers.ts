import type { ExampleRequest } from '../triggers/trigger.ts'
import type { Workflow } from '../workflow/workflow.ts'

/** A trigger that waits for requests, with the address that it answers to. */
export interface FoundTrigger {
  readonly workflow: string
  readonly trigger: string
  readonly url: string
  /** `undefined` when only its sender can make a request that fires it. */
  readonly example: ExampleRequest | undefined
}

/** The webhook-enabled triggers of workflows, as addresses below `base`. */
export function foundTriggers(base: string, workflows: readonly Workflow[]): FoundTrigger[] {
  return workflows.flatMap(({ name: workflow, triggers }) =>
    triggers.flatMap(({ name: trigger, receive, example }) => {
      const url = `${base}/webhook/${encodeURIComponent(workflow)}/${trigger}`
      return receive ? [{ workflow, trigger, url, example }] : []
    }),
  )
}

/** A trigger as a list shows it: how to call it, and where. */
export function listLine({ url, example }: FoundTrigger): string {
  return `${(example?.method ?? 'signed').padEnd(7)} ${url}${example?.path ?? ''}`
}

/** A line for a shell that fires a trigger. */
export function curlLine(url: string, example: ExampleRequest): string {
  const { method, path, contentType, body } = example
  const options = [
    ...(method === 'GET' ? [] : method === 'HEAD' ? ['--head'] : ['-X', method]),
    ...(contentType === undefined ? [] : ['-H', quoted(`content-type: ${contentType}`)]),
    ...(body === undefined ? [] : ['-d', quoted(body)]),
  ]
  return ['curl', ...options, quoted(url + path)].join(' ')
}

/** For a POSIX shell: nothing is special within single quotes but the quote itself. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
