import { stringify } from 'yaml'
import type { Answers, Kind, NewFile } from './kind.ts'

/** The triggers stand in the native workflow itself: one file, and no checkout. */
export const webhookKind: Kind = {
  name: 'webhook',
  title: 'a request to a URL, in a workflow of one file',
  workflow: 'hook',
  trigger: 'webhook',
  files: (answers) => [{ path: `.github/workflows/${answers.name}.yml`, text: text(answers) }],
}

function text({ name }: Answers): NewFile['text'] {
  return `name: ${stringify(name).trim()}
on:
  repository_dispatch:
    types: [webhook]

permissions:
  contents: read

jobs:
  react:
    # Each dispatch starts every listening workflow; only ${name}/webhook is for this one.
    if: >-
      startsWith(format('{0}/', github.event.client_payload.path), '${name}/webhook/') ||
      startsWith(github.event.client_payload.path, '${name}/webhook?')
    runs-on: ubuntu-latest
    steps:
      - uses: hookline/hookline@v1
        id: hookline
        with:
          on: |
            webhook:
              method: post

      # What came from outside goes through env: in a script it would be run as shell code.
      - if: steps.hookline.outputs.triggered == 'true'
        env:
          BODY: \${{ steps.hookline.outputs.body }}
        run: echo "$BODY"
`
}
