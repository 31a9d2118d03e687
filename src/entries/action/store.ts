import { isAbsolute, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Inputs } from '../../action/inputs.ts'
import { branchShelf, patientApi } from '../../state/branch.ts'
import { fileShelf } from '../../state/file.ts'
import { createStore, type StateStore } from '../../state/index.ts'
import { stateFiles } from '../state-files.ts'
import { githubApi } from './github.ts'

/** The store that the input `state` names. */
export function chosenStore(
  { state, githubToken }: Inputs,
  folder: string,
): StateStore | undefined {
  if (state.kind === 'none') return undefined
  const ports = { sleep: (duration: number) => sleep(duration), random: Math.random }
  if (state.kind === 'branch') {
    return createStore(branchShelf(state.name, patientApi(githubApi(githubToken), ports), ports))
  }
  const path = isAbsolute(state.path) ? state.path : join(folder, state.path)
  return createStore(fileShelf(path, state.path, stateFiles, ports))
}
