import type { Problem } from '../../wire/errors.ts'
import { childOf, entriesOf, textAt } from '../../workflow/nodes.ts'
import { stepsOf } from '../../workflow/steps.ts'
import { didYouMean } from '../../workflow/suggestion.ts'
import { positionAt, rangeOf } from '../../workflow/yaml.ts'
import type { Rule, RuleFile } from '../rule.ts'
import { plain } from './examples.ts'

export const unknownShell: Rule = {
  id: 'unknown-shell',
  level: 'error',
  isStrict: false,
  finds: 'a shell that GitHub does not know',
  why: 'GitHub knows `bash`, `sh`, `pwsh`, `powershell`, `cmd` and `python`, and fails the step.',
  fix: 'Name another program with the place of the script.',
  red: '- {shell: zsh, run: echo hi}',
  green: '- {shell: "zsh {0}", run: echo hi}',
  around: plain,
  check: unknownShells,
}

/** https://docs.github.com/actions/reference/workflow-syntax-for-github-actions#jobsjob_idstepsshell */
const SHELLS = ['bash', 'sh', 'pwsh', 'powershell', 'cmd', 'python']

function unknownShells({ top, file }: RuleFile): Problem[] {
  const jobs = entriesOf(childOf(top, 'jobs')).map(({ value }) => value)
  const named = [
    ...[top, ...jobs].map((place) => childOf(place, 'defaults', 'run', 'shell')),
    ...jobs.flatMap(stepsOf).map((step) => childOf(step, 'shell')),
  ]
  return named.flatMap((place) => {
    const text = textAt(place)
    const shell = text?.node.value.trim() ?? ''
    if (!text || /\{0\}|\$\{\{/.test(shell) || SHELLS.includes(shell.toLowerCase())) return []
    const position = positionAt(file.source, ...rangeOf(text.alias ?? text.node))
    return [
      {
        message: `GitHub knows no shell "${shell}"`,
        position,
        hint: didYouMean(shell, SHELLS) ?? `write "${shell} {0}" if it is a program of the runner`,
        notes: [`shells: ${SHELLS.join(', ')}`],
      },
    ]
  })
}
