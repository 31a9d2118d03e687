import { UserError } from '../../wire/errors.ts'
import { isWorkflowName, splitOnce } from '../../wire/path.ts'
import type { DispatchMode } from '../../wire/payload.ts'
import { checkedRepository } from '../../wire/settings.ts'
import { readEndpointTarget } from '../target/endpoint-target.ts'
import { warn } from '../terminal.ts'
import { type AdminSettings, type SettingOptions, workflowName } from './settings.ts'

/**
 * The further targets that --target names. Each workflow is read on GitHub, as the first one is, so that a target
 * without a trigger gets the only one that its workflow declares.
 *
 * @param dispatch of the endpoint, which its targets share
 * @throws UserError for a target that no event would start
 */
export async function endpointTargets(
  { target = [], ref }: Pick<SettingOptions, 'target' | 'ref'>,
  dispatch: DispatchMode,
): Promise<AdminSettings> {
  const targets: string[] = []
  for (const text of target) {
    const [repository, path] = splitOnce(text, ':')
    const [file, trigger] = splitOnce(path, '/')
    const workflow = workflowName(file)
    if (!isWorkflowName(workflow) || trigger.includes('/')) throw notATarget(text)
    const wanted = {
      repository: checkedRepository(repository),
      workflow,
      dispatch,
      ...(trigger !== '' && { trigger }),
      ...(ref !== undefined && dispatch === 'workflow' && { ref }),
    }
    const found = await readEndpointTarget(wanted)
    if (found.unchecked !== undefined)
      warn([{ message: `${text} not checked: ${found.unchecked}` }])
    targets.push(`${wanted.repository}:${workflow}/${found.trigger}`)
  }
  return targets.length > 0 ? { targets } : {}
}

function notATarget(text: string): UserError {
  return new UserError({
    message: `--target: ${JSON.stringify(text)} does not name a repository and a workflow`,
    hint: 'Write the repository, a colon, and the workflow: --target octo/mail:receipt/webhook',
  })
}
