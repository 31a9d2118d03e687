import type { Problem } from '../../wire/errors.ts'
import { childOf, entriesOf, textAt, textOf } from '../../workflow/nodes.ts'
import { stepsOf } from '../../workflow/steps.ts'
import { didYouMean } from '../../workflow/suggestion.ts'
import { positionAt, rangeOf } from '../../workflow/yaml.ts'
import type { Rule, RuleFile } from '../rule.ts'
import { plain } from './examples.ts'

export const unknownShell: Rule = {
  id: 'unknown-shell',
  level: 'error',
  isStrict: false,
  finds: 'a shell that GitHub does not have there',
  why: 'GitHub knows `bash`, `sh`, `pwsh`, `python`, and on Windows `powershell` and `cmd`; it fails the step.',
  fix: 'Name another program with the place of the script.',
  red: '- {shell: zsh, run: echo hi}',
  green: '- {shell: "zsh {0}", run: echo hi}',
  around: plain,
  check: unknownShells,
}

/** https://docs.github.com/actions/reference/workflow-syntax-for-github-actions#jobsjob_idstepsshell */
const SHELLS = ['bash', 'sh', 'pwsh', 'powershell', 'cmd', 'python']

/** Those that the runners of GitHub have on Windows alone. */
const OF_WINDOWS = ['powershell', 'cmd']

function unknownShells({ top, file }: RuleFile): Problem[] {
  const jobs = entriesOf(childOf(top, 'jobs')).map(({ value }) => value)
  const shells = jobs.flatMap((job) => {
    const isUnix = /^(?:ubuntu|macos)-[\w.-]+$/.test(textOf(childOf(job, 'runs-on')) ?? '')
    const own = [childOf(job, 'defaults', 'run', 'shell')]
    return [...own, ...stepsOf(job).map((step) => childOf(step, 'shell'))].map((place) => {
      return { place, isUnix }
    })
  })
  const named = [{ place: childOf(top, 'defaults', 'run', 'shell'), isUnix: false }, ...shells]
  return named.flatMap(({ place, isUnix }): Problem[] => {
    const text = textAt(place)
    const shell = text?.node.value.trim() ?? ''
    if (!text || /\{0\}|\$\{\{/.test(shell)) return []
    const position = positionAt(file.source, ...rangeOf(text.alias ?? text.node))
    if (isUnix && OF_WINDOWS.includes(shell.toLowerCase())) {
      const message = `"${shell}" is on Windows alone, and this job runs elsewhere`
      return [{ message, position, hint: 'write pwsh, or bash' }]
    }
    if (SHELLS.includes(shell.toLowerCase())) return []
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
