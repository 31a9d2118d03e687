import { UserError } from '../../wire/errors.ts'
import { isObject } from '../../wire/json.ts'
import { LIMITS } from '../../wire/limits.ts'
import { EVENT_TYPE } from '../../wire/payload.ts'
import { parseYaml } from '../../workflow/yaml.ts'
import { type Finding, failed, ok, warning } from './finding.ts'

/** A native workflow file of the default branch. */
export interface NativeFile {
  /** `hook.yml` */
  readonly file: string
  readonly text: string
}

const LISTEN = `on: { repository_dispatch: { types: [${EVENT_TYPE}] } }`

/** A step that uses the action, of whatever owner and version, or the one of the same repository. */
const ACTION = /uses:\s*['"]?(?:\S*\/hookline(?:@|\s|['"])|\.\/)/

/** Whether a workflow is started by what the relay dispatches, and hands it to the action. */
export function judgeListening({ file, text }: NativeFile): Finding {
  const workflow = readNative({ file, text })
  if (workflow === undefined) {
    const mend = 'see what GitHub says of it on the page "Actions" of the repository'
    return failed('workflow', 'workflow_invalid', `${file} is no valid YAML`, mend)
  }
  const types = dispatchTypes(workflow.on)
  const isPolling = types === undefined && hasSchedule(workflow.on) && ACTION.test(text)
  if (isPolling) return ok('workflow', `${file} is started by its schedule`)
  if (types === undefined) return notListening(file)
  if (types.length > 0 && !types.includes(EVENT_TYPE)) return wrongType(file, types)
  return ACTION.test(text)
    ? ok('workflow', `${file} listens for ${EVENT_TYPE}`)
    : withoutAction(file)
}

function notListening(file: string): Finding {
  const message = `${file} does not listen for repository_dispatch`
  return failed('workflow', 'workflow_not_listening', message, `add ${LISTEN}`)
}

function wrongType(file: string, types: readonly string[]): Finding {
  const message = `${file} listens for ${types.join(', ')}, not for "${EVENT_TYPE}"`
  const mend = `add ${EVENT_TYPE} to the types: ${LISTEN}`
  return failed('workflow', 'workflow_wrong_type', message, mend)
}

function withoutAction(file: string): Finding {
  const message = `${file} listens, but no step uses the action`
  const mend = 'add a step with uses: hookline/hookline@v1'
  return warning('workflow', 'workflow_without_action', message, mend)
}

/** True for a file that has anything to do with webhooks, so that others are passed over. */
export function listens(native: NativeFile): boolean {
  const workflow = readNative(native)
  return workflow !== undefined && dispatchTypes(workflow.on) !== undefined
}

function readNative({ file, text }: NativeFile): Record<string, unknown> | undefined {
  try {
    const value: unknown = parseYaml({ name: file, file, text }).toJS({
      maxAliasCount: LIMITS.yamlAliases,
    })
    return isObject(value) ? value : undefined
  } catch (error) {
    if (error instanceof UserError || error instanceof ReferenceError) return undefined
    throw error
  }
}

/** `undefined` when the event is not there; no types mean all of them. */
function dispatchTypes(on: unknown): string[] | undefined {
  if (on === 'repository_dispatch') return []
  if (Array.isArray(on)) return on.includes('repository_dispatch') ? [] : undefined
  if (!isObject(on) || !('repository_dispatch' in on)) return undefined
  const { repository_dispatch: options } = on
  return isObject(options) ? [options.types ?? []].flat().map(String) : []
}

function hasSchedule(on: unknown): boolean {
  return isObject(on) && 'schedule' in on
}
