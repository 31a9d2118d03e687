import { type Answers, KINDS } from '../../../src/cli/init/kinds.ts'
import { nextSteps } from '../../../src/cli/init/next-steps.ts'
import { POSIX } from '../../../src/wire/shell.ts'

/** The next steps that `init` prints on a machine with gh and the remote octo/repo. */
export function stepsOf(
  name: string,
  own: Partial<Answers> = {},
  facts: Partial<Parameters<typeof nextSteps>[2]> = {},
): string {
  const kind = KINDS.get(name)
  if (!kind) throw new Error(`no kind ${name}`)
  return nextSteps(
    kind,
    { name: 'deploy', ...own },
    {
      port: '3000',
      needsLogin: false,
      shell: POSIX,
      push: { refspec: 'HEAD' },
      isAlone: true,
      origin: { repository: 'octo/repo', webUrl: 'https://github.com' },
      ...facts,
    },
  )
}
