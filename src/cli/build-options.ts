import { InvalidArgumentError, Option } from 'commander'
import { parse } from 'yaml'
import { readRunsOn } from '../compiler/source-file.ts'
import { parseState, STATE_FORMS } from '../state/index.ts'
import type { Json } from '../wire/json.ts'

/** Where the action remembers, which decides what a workflow may ask for. */
export function stateOption(): Option {
  return new Option('--state <store>', 'none, file:<path> or branch:<name>')
    .default('none')
    .argParser((text) => {
      const choice = parseState(text)
      if (choice) return choice.kind === 'none' ? 'none' : `${choice.kind}:${choice.value}`
      throw new InvalidArgumentError(`write one of: ${STATE_FORMS}.`)
    })
}

export function eventOption(): Option {
  return new Option('--event <event>', 'what a webhook starts the workflows by')
    .choices(['repository_dispatch', 'workflow_dispatch'])
    .default('repository_dispatch')
}

export function runsOnOption(): Option {
  return new Option('--runs-on <label or YAML>', 'what the job "on" runs on')
    .default('ubuntu-latest')
    .argParser((text): Json => {
      try {
        const value = readRunsOn(parse(text))
        if (value !== undefined) return value
      } catch {
        // Said below, as for YAML that is no label.
      }
      throw new InvalidArgumentError('write a label, or YAML: [self-hosted, linux].')
    })
}
