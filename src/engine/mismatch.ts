import { isObject } from '../wire/json.ts'
import type { WebhookPath } from '../wire/path.ts'
import { EVENT_TYPE } from '../wire/payload.ts'
import { didYouMean } from '../workflow/suggestion.ts'
import type { Workflow } from '../workflow/workflow.ts'
import type { PlatformEvent } from './events.ts'

/** Why a webhook for another workflow fires nothing here. */
export function otherWorkflow({ workflow }: WebhookPath, names: readonly string[]): string {
  const hint = didYouMean(workflow, names)
  const list = names.map(quoted).join(', ') || 'none'
  return `the webhook addresses the workflow ${quoted(workflow)}; here: ${list}${hint ? ` (${hint})` : ''}`
}

/** Why a webhook for a trigger that the workflow does not declare fires nothing. */
export function otherTrigger({ trigger }: WebhookPath, workflow: Workflow): string {
  const names = workflow.triggers.map(({ name }) => name)
  const hint = didYouMean(trigger, names)
  const list = names.map(quoted).join(', ') || 'none'
  return `the webhook addresses the trigger ${quoted(trigger)}; ${quoted(workflow.name)} declares: ${list}${hint ? ` (${hint})` : ''}`
}

/** Why an event is not the dispatch of a webhook. */
export function whyNoWebhook({ name, payload }: PlatformEvent): string {
  if (name !== 'repository_dispatch') {
    return `a webhook arrives as repository_dispatch of type "${EVENT_TYPE}", this event is ${name}`
  }
  const type = isObject(payload) ? payload.action : undefined
  const found = typeof type === 'string' ? `of type ${quoted(type)}` : 'without a type'
  return `this repository_dispatch is ${found}, Hookline listens to type "${EVENT_TYPE}"`
}

/** A name from outside is shown only when it looks like one: it is the sender's text. */
function quoted(name: string): string {
  return /^[\w.-]{1,100}$/.test(name) ? `"${name}"` : '(not a name)'
}
