import { execFile } from 'node:child_process'
import { cp, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { bundledPackage } from './build.ts'
import { NODE24 } from './node24.ts'

/** Path of wrangler's program, if wrangler is installed; it needs Node 22. */
export const WRANGLER = NODE24 === null ? undefined : process.env.HOOKLINE_WRANGLER

const CONFIGURATION = new URL('../../wrangler.toml', import.meta.url)

/** What `wrangler deploy` would upload. */
export interface PackedWorker {
  /** Folder of the modules. */
  readonly folder: string
  /** What wrangler printed: the files with their sizes, and the bindings. */
  readonly printed: string
}

/**
 * Packs the worker with `wrangler deploy --dry-run` as a clone would: with `wrangler.toml` and `dist/`.
 *
 * @param folder an empty folder, which is also the home of wrangler
 */
export async function packWithWrangler(folder: string): Promise<PackedWorker> {
  await cp(join(bundledPackage(), 'dist/relay'), join(folder, 'dist/relay'), { recursive: true })
  await cp(CONFIGURATION, join(folder, 'wrangler.toml'))
  const out = join(folder, 'packed')
  const { stdout } = await promisify(execFile)(
    NODE24 ?? '',
    [WRANGLER ?? '', 'deploy', '--dry-run', '--outdir', out],
    { cwd: folder, env: { PATH: process.env.PATH, HOME: folder, CI: '1', ...OFFLINE } },
  )
  return { folder: out, printed: stdout }
}

/** Wrangler sends no telemetry, and reaches neither Cloudflare nor a registry. */
const OFFLINE = {
  WRANGLER_SEND_METRICS: 'false',
  WRANGLER_SEND_ERROR_REPORTS: 'false',
  HTTPS_PROXY: 'http://127.0.0.1:9',
  HTTP_PROXY: 'http://127.0.0.1:9',
  npm_config_registry: 'http://127.0.0.1:9',
}

/** The parts of `wrangler.toml` that decide how Cloudflare runs the worker. */
export interface WorkerConfiguration {
  readonly compatibilityDate: string
  readonly compatibilityFlags: readonly string[]
  /** The Durable Objects, by their binding. */
  readonly objects: readonly { readonly binding: string; readonly className: string }[]
  /** Classes whose objects have SQLite. */
  readonly sqliteClasses: readonly string[]
}

export async function readConfiguration(): Promise<WorkerConfiguration> {
  const text = (await readFile(CONFIGURATION, 'utf8')).replace(/^#.*\n/gm, '')
  const bound = text.matchAll(
    /^\[\[durable_objects\.bindings\]\]\nname = "(\w+)"\nclass_name = "(\w+)"$/gm,
  )
  const list = (name: string) =>
    [...(new RegExp(`^${name} = \\[(.*)\\]$`, 'm').exec(text)?.[1] ?? '').matchAll(/"(\w+)"/g)].map(
      ([, word = '']) => word,
    )
  return {
    compatibilityDate: /^compatibility_date = "([\d-]+)"$/m.exec(text)?.[1] ?? '',
    compatibilityFlags: list('compatibility_flags'),
    objects: [...bound].map(([, binding = '', className = '']) => ({ binding, className })),
    sqliteClasses: list('new_sqlite_classes'),
  }
}
