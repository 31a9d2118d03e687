/** A workflow whose job `on` uses the action, as README has it, followed by these jobs. */
export function workflow(jobs: string, on = 'webhook: {method: post}'): string {
  return `on:
  repository_dispatch:
    types: [webhook]
jobs:
  on:
    runs-on: ubuntu-latest
    outputs:
      triggered: \${{ steps.hookline.outputs.triggered }}
      on: \${{ steps.hookline.outputs.on }}
      body: \${{ steps.hookline.outputs.body }}
    steps:
      - uses: hookline/hookline@v1
        id: hookline
        with:
          on: |
            ${on}
${jobs}`
}

/** A workflow with a trigger, in which no job reads the body. */
export function withTrigger(on: string): string {
  return workflow(OTHER_JOB, on).replace(/ +body: .*\n/, '')
}

/** A job after the job `on`, with one step. */
export function greet(step: string): string {
  return workflow(`  greet:
    needs: on
    if: needs.on.outputs.triggered == 'true'
    runs-on: ubuntu-latest
    steps:
${step.replaceAll(/^(?=.)/gm, '      ')}
`)
}

export function inEnv(variable: string): string {
  return greet(`- env:\n    ${variable}\n  run: echo "$NAME"`)
}

export function greetWithCondition(condition: string): string {
  return greet('- run: echo hi').replace(/ if: .*/, () => ` ${condition}`)
}

/** A job that reads no output of the job `on`. */
export const OTHER_JOB = `  greet:
    runs-on: ubuntu-latest
    steps:
      - run: echo hi
`

/** A job with the action and this step after it. */
export function oneJob(step: string): string {
  return `on:
  repository_dispatch:
    types: [webhook]
jobs:
  greet:
    runs-on: ubuntu-latest
    steps:
      - uses: hookline/hookline@v1
        id: hookline
        with:
          on: |
            webhook: {method: post}
${step.replaceAll(/^(?=.)/gm, '      ')}
`
}

/** A job whose matrix goes over the items, with this variable. */
export function inMatrix(variable: string): string {
  return inEnv(variable)
    .replace('      on: ${{', '      items: ${{ steps.hookline.outputs.items }}\n      on: ${{')
    .replace(
      "    if: needs.on.outputs.triggered == 'true'\n",
      (line) =>
        `${line}    strategy:\n      matrix:\n        on: \${{ fromJSON(needs.on.outputs.items) }}\n`,
    )
}
