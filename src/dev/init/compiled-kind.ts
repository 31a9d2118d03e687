import { stringify } from 'yaml'
import type { Answers, Kind } from './kind.ts'

/** With it an editor completes and checks the file; the id of schema/hookline-workflow.json. */
const SCHEMA =
  'https://raw.githubusercontent.com/hookline/hookline/v1/schema/hookline-workflow.json'

/** A workflow file with triggers under `on:`, from which `hookline build` makes native ones. */
export const compiledKind: Kind = {
  name: 'compiled',
  title: 'a request to a URL, in a workflow file with jobs for each request',
  workflow: 'hook',
  trigger: 'webhook',
  compile: 'npx hookline build',
  files: (answers) => [{ path: `workflows/${answers.name}.yml`, text: text(answers) }],
}

function text({ name }: Answers): string {
  return `# yaml-language-server: $schema=${SCHEMA}
name: ${stringify(name).trim()}
on:
  webhook:
    method: post

jobs:
  react:
    runs-on: ubuntu-latest
    steps:
      # What came from outside goes through env: in a script it would be run as shell code.
      - env:
          BODY: \${{ toJSON(on.webhook.outputs.body) }}
        run: echo "$BODY"
`
}
