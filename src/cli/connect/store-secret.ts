import { spawn } from 'node:child_process'
import type { ForgeHere } from '../forge.ts'
import type { KeyBinding } from '../keyboard.ts'
import { environmentFor, GH_VARIABLES } from '../programs.ts'
import { ghToken, secretArguments, secretsPage } from './requirements.ts'

interface StoreKeyOptions {
  readonly forge: ForgeHere
  readonly repository: string
  /** The names of the repository secrets. */
  readonly secrets: readonly string[]
  /** Ends `gh` when `connect` ends. */
  readonly signal: AbortSignal
  note(text: string): void
}

/**
 * The key `s` of the keyboard, which stores the repository secrets. Empty if there are no secrets, or `gh`
 * cannot store them.
 */
export function storeSecretKeys(options: StoreKeyOptions): KeyBinding[] {
  const { forge, repository, secrets, signal, note } = options
  if (secrets.length === 0 || forge.kind !== 'github' || !ghToken(forge.host)) return []
  const storeAll = async () => {
    for (const name of secrets) {
      note(`Storing ${name}:`)
      const isStored = await runGh(secretArguments(forge, repository, name), signal)
      if (signal.aborted) return
      if (!isStored) note(`${name} is not stored. Store it at ${secretsPage(forge, repository)}`)
    }
  }
  return [
    {
      key: 's',
      does: 'store the secret',
      async press(keys) {
        // gh reads the terminal meanwhile.
        keys.stop()
        await storeAll()
        if (!signal.aborted) keys.start()
      },
    },
  ]
}

/** Runs `gh`, which asks for the secret in this terminal, and reports its errors. @returns whether it succeeded */
function runGh(args: readonly string[], signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const env = environmentFor(...GH_VARIABLES)
    spawn('gh', args, { stdio: 'inherit', env, signal })
      .on('error', () => resolve(false))
      .on('close', (code) => resolve(code === 0))
  })
}
