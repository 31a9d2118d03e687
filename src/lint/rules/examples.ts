/** The job that takes the webhook, as README has it, with these jobs behind it. */
export function workflow(jobs: string, on = 'webhook: {method: post}'): string {
  return `on:
  repository_dispatch:
    types: [webhook]
jobs:
  on:
    runs-on: ubuntu-latest
    outputs:
      triggered: \${{ steps.hookline.outputs.triggered }}
      body: \${{ steps.hookline.outputs.body }}
    steps:
      - uses: hookline/hookline@v1
        id: hookline
        with:
          on: |
            ${on}
${jobs}`
}

/** A job behind it with one step. */
export function greet(step: string, condition = "needs.on.outputs.triggered == 'true'"): string {
  return workflow(`  greet:
    needs: on
    if: ${condition}
    runs-on: ubuntu-latest
    steps:
${step.replaceAll(/^(?=.)/gm, '      ')}
`)
}

/** A workflow that has nothing to do with Hookline. */
export function plain(steps: string, more = ''): string {
  return `on: push
jobs:
  greet:
    runs-on: ubuntu-latest
${more}    steps:
${steps.replaceAll(/^(?=.)/gm, '      ')}
`
}
