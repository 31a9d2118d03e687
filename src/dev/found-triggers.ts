import type { ExampleRequest } from '../triggers/trigger.ts'
import type { Workflow } from '../workflow/workflow.ts'

/** A trigger that waits for requests, with the address that it answers to. */
export interface FoundTrigger {
  readonly workflow: string
  readonly trigger: string
  readonly url: string
  readonly example: ExampleRequest
}

/** The webhook-enabled triggers of workflows, as addresses below `base`. */
export function foundTriggers(base: string, workflows: readonly Workflow[]): FoundTrigger[] {
  return workflows.flatMap(({ name: workflow, triggers }) =>
    triggers.flatMap(({ name: trigger, example }) => {
      const url = `${base}/webhook/${encodeURIComponent(workflow)}/${trigger}`
      return example ? [{ workflow, trigger, url, example }] : []
    }),
  )
}

/** A line for a shell that fires the trigger. */
export function curlLine({ url, example }: FoundTrigger): string {
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
