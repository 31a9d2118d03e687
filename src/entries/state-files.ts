import { randomUUID } from 'node:crypto'
import { link, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { dirname } from 'node:path'
import type { Files } from '../state/file.ts'
import { UserError } from '../wire/errors.ts'

/** Files of this machine. A new text is written beside its place first, then put there at once. */
export const stateFiles: Files = {
  async read(path) {
    try {
      return await readFile(path, 'utf8')
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return undefined
      throw unusable(path, error)
    }
  },

  async create(path, text) {
    return beside(path, text, async (written) => {
      try {
        await link(written, path)
        return true
      } catch (error) {
        if (codeOf(error) === 'EEXIST') return false
        throw error
      }
    })
  },

  async replace(path, text) {
    await beside(path, text, (written) => rename(written, path))
  },

  async remove(path) {
    await rm(path, { force: true })
  },

  owner: () => `${hostname()} ${process.pid} ${randomUUID()}`,

  isGone(owner) {
    const [host, pid] = owner.split(' ')
    return host === hostname() && !isRunning(Number(pid))
  },
}

async function beside<Result>(
  path: string,
  text: string,
  place: (written: string) => Promise<Result>,
): Promise<Result> {
  const written = `${path}.${randomUUID()}.tmp`
  try {
    await mkdir(dirname(path), { recursive: true })
    await writeFile(written, text)
    return await place(written)
  } catch (error) {
    throw unusable(path, error)
  } finally {
    await rm(written, { force: true })
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return codeOf(error) !== 'ESRCH'
  }
}

function unusable(path: string, cause: unknown): UserError {
  return new UserError({ message: `${path} cannot be used as state (${codeOf(cause)})` }, { cause })
}

function codeOf(error: unknown): string {
  const hasCode = typeof error === 'object' && error !== null && 'code' in error
  return hasCode ? String(error.code) : 'unknown fault'
}
