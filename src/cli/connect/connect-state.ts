import { join } from 'node:path'
import { type DataFolder, dataFolder } from '../../relay/node/data-folder.ts'
import type { ForgeHere } from '../forge.ts'
import type { ConnectTarget } from './connect-target.ts'

/**
 * The data folder of the relay that `connect` starts for a trigger, so that the path of its webhook URL is the
 * same at the next start. Events that wait there are of one forge.
 */
export function connectFolder(
  { repository, workflow, trigger }: Pick<ConnectTarget, 'repository' | 'workflow' | 'trigger'>,
  { apiUrl: { host, pathname } }: Pick<ForgeHere, 'apiUrl'>,
): DataFolder {
  const { XDG_STATE_HOME, LOCALAPPDATA } = process.env
  const { path } = dataFolder({ env: { XDG_STATE_HOME, LOCALAPPDATA } })
  const address = host + pathname.replace(/(?:\/api\/v[13])?\/*$/, '')
  const forge = host === 'api.github.com' ? [] : [address.replace(/[^\w.-]+/g, '_')]
  const parts = [...forge, ...repository.toLowerCase().split('/'), `${workflow}.${trigger}`]
  return dataFolder({ data: join(path, 'connect', ...parts), env: {} })
}
