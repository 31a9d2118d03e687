import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { RunningCommand, type Surroundings } from './cli.ts'
import { rememberKey } from './inspector.ts'

/** `hookline dev` in its own folder. */
export interface Dev {
  readonly command: RunningCommand
  readonly url: string
  /** Address of the inspector with the key of this run; empty with `--json`. */
  readonly inspector: string
  /** Address of a webhook: `hook/webhook/users/1`. */
  hook(path: string): string
  write(files: Readonly<Record<string, string | Uint8Array>>): Promise<void>
  remove(file: string): Promise<void>
  /** Restores the files of its start, and deletes files that were added since. */
  restore(): Promise<void>
  stop(): Promise<number | null>
}

export interface DevSetup {
  /** Content by path in the folder. */
  readonly files: Readonly<Record<string, string | Uint8Array>>
  readonly args?: readonly string[]
  readonly env?: Record<string, string>
  readonly as?: Surroundings['as']
}

export async function startDev({ files, args = [], env = {}, as }: DevSetup): Promise<Dev> {
  const folder = await mkdtemp(join(tmpdir(), 'hookline-dev-'))
  const present = new Map<string, string | Uint8Array>()
  const write = async (texts: Readonly<Record<string, string | Uint8Array>>) => {
    for (const [name, text] of Object.entries(texts)) {
      if (present.get(name) === text) continue
      await mkdir(dirname(join(folder, name)), { recursive: true })
      await writeFile(join(folder, name), text)
      present.set(name, text)
    }
  }
  await write(files)
  const command = new RunningCommand(['dev', '--port', '0', ...args], {
    cwd: folder,
    env,
    ...(as && { as }),
  })
  const isJson = args.includes('--json')
  const address = /^hookline dev listening on (http:\S+)\r?\n/m
  const [, url = ''] = await (isJson ? command.told(address) : command.printed(address))
  const [, inspector = ''] = isJson
    ? []
    : await command.printed(/^Inspector .*: (http:\S+)\r?$|^The inspector is for/m)
  if (inspector) rememberKey(inspector)
  const stop = async () => {
    const code = await command.stop()
    await rm(folder, { recursive: true, force: true })
    return code
  }
  const remove = async (file: string) => {
    present.delete(file)
    await rm(join(folder, file))
  }
  const restore = async () => {
    for (const name of present.keys()) if (!(name in files)) await remove(name)
    await write(files)
  }
  const hook = (path: string) => `${url}/webhook/${path}`
  return { command, url, inspector, hook, write, remove, restore, stop }
}

export async function post(
  url: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
}
