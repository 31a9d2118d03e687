import { namesIn } from '../../compiler/source-file.ts'
import type { Problem } from '../../wire/errors.ts'
import { childOf, type Place, textAt, textOf, topOf, writtenAt } from '../../workflow/nodes.ts'
import { actionSteps } from '../../workflow/steps.ts'
import type { Rule, RuleFile } from '../rule.ts'
import { OTHER_JOB, workflow } from './example-workflows.ts'

export const missingSecret: Rule = {
  id: 'missing-secret',
  level: 'strict',
  page: {
    title: 'a secret or variable that a workflow file reads and the step does not pass',
    reason:
      'An action cannot read secrets by itself. If the action reads its triggers from a file of `workflows/`, GitHub does not evaluate the expressions in that file, and a secret that the step does not pass is empty: then a signature never matches.',
    remedy:
      'Pass the secret in the input `secrets`, and a variable in the input `vars`, each as a JSON object.',
    before: "secrets: '{}'",
    after: `secrets: '{"SECRET": \${{ toJSON(secrets.SECRET) }}}'`,
    workflow: (part) =>
      workflow(OTHER_JOB)
        .replace(/ +body: .*\n/, '')
        .replace(
          / {10}on: \|\n.*\n/,
          () => `          workflow: triggers/hook.yml\n          ${part}\n`,
        ),
  },
  check: missingSecrets,
}

function missingSecrets(file: RuleFile): Problem[] {
  if (!file.native) return []
  const { source } = file.file
  return file.jobs.flatMap(actionSteps).flatMap(({ place: step }) => {
    const given = childOf(step, 'with')
    const read = readIn(file, given)
    return ['secrets', 'vars'].flatMap((context): Problem[] => {
      const passed = childOf(given, context)
      const names = read(context)
      const missing = names.filter((name) => !passes(textOf(passed), context, name))
      const place = textAt(passed) ?? textAt(childOf(step, 'uses'))
      if (missing.length === 0 || !place) return []
      const list = missing.map((name) => `${context}.${name}`).join(', ')
      const members = names.map((name) => `"${name}": \${{ toJSON(${context}.${name}) }}`)
      return [
        {
          message: `the triggers read ${list}, and the step does not pass ${missing.length > 1 ? 'them' : 'it'}`,
          position: writtenAt(source, place),
          hint: `pass ${context}: '{${members.join(', ')}}'`,
        },
      ]
    })
  })
}

/** The names of a context that the `on:` section of the file reads from which the step gets its triggers. */
function readIn({ native, repository }: RuleFile, given: Place | undefined) {
  const isInline = (textOf(childOf(given, 'on')) ?? '').trim() !== ''
  const path = textOf(childOf(given, 'workflow')) ?? `workflows/${native?.name}.yml`
  const file = isInline || /[*?{[$]/.test(path) ? undefined : repository.read(path.trim())
  const on = file && childOf(topOf(file.document), 'on')
  return (context: string) => (file && on ? namesIn(file.source.text, on.node, context) : [])
}

/** Whether a JSON object contains a name; an object that an expression computes may contain any. */
function passes(json: string | undefined, context: string, name: string): boolean {
  if (json === undefined || json.trim() === '') return false
  const isWhole = new RegExp(`toJSON\\(\\s*${context}\\s*\\)`, 'i').test(json)
  const isComputed = /^\s*\$\{\{/.test(json)
  return isWhole || isComputed || json.toLowerCase().includes(`"${name.toLowerCase()}"`)
}
