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
export function greet(step: string): string {
  return workflow(`  greet:
    needs: on
    if: needs.on.outputs.triggered == 'true'
    runs-on: ubuntu-latest
    steps:
${step.replaceAll(/^(?=.)/gm, '      ')}
`)
}

/** A step behind it with this variable. */
export function inEnv(variable: string): string {
  return greet(`- env:\n    ${variable}\n  run: echo "$NAME"`)
}

/** A job behind it with this `if:`. */
export function guarded(condition: string): string {
  return greet('- run: echo hi').replace(/ if: .*/, () => ` ${condition}`)
}

/** A job that reads nothing of it. */
export const DONE = `  greet:
    runs-on: ubuntu-latest
    steps:
      - run: echo hi
`

/** A workflow that has nothing to do with Hookline. */
export function plain(steps: string): string {
  return `on: push
jobs:
  greet:
    runs-on: ubuntu-latest
    steps:
${steps.replaceAll(/^(?=.)/gm, '      ')}
`
}
