import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type Build, type BuildOptions, build } from '../../../src/cli/build.ts'
import type { CompilerSettings } from '../../../src/compiler/compiler-settings.ts'
import { byLevel } from '../../support/findings.ts'
import { withSettings } from './compiled.ts'

export const GLOBS = ['workflows/**/*.{yml,yaml}']
export const HOOK =
  'on: webhook\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n      - run: echo hi\n'
export const POLLED = HOOK.replace(
  'webhook',
  '{messaging_bot: {token: "1:a", config: {every: 10}}}',
)
export const UNTRUSTED = HOOK.replace('hi', `\${{ on.webhook.outputs.body }}`)

/** A working copy with one workflow, for one test. */
export class Repository {
  readonly root = realpathSync(mkdtempSync(join(tmpdir(), 'hookline-build-')))

  constructor() {
    this.write('workflows/hook.yml', HOOK)
  }

  write(file: string, text: string | Uint8Array): void {
    mkdirSync(dirname(join(this.root, file)), { recursive: true })
    writeFileSync(join(this.root, file), text)
  }

  read(file: string): string {
    return readFileSync(join(this.root, file), 'utf8')
  }

  /** Says that a file was changed so many seconds from now. */
  touch(file: string, seconds: number): void {
    const time = Date.now() / 1000 + seconds
    utimesSync(join(this.root, file), time, time)
  }

  list(folder: string): string[] {
    return readdirSync(join(this.root, folder))
  }

  async build(options: Partial<BuildOptions> & CompilerSettings = {}) {
    return byLevel(await build({ root: this.root, globs: GLOBS, ...withSettings(options) }))
  }

  remove(): void {
    rmSync(this.root, { recursive: true })
  }
}

export function errorsOf({ errors }: Pick<ReturnType<typeof byLevel>, 'errors'>): string[] {
  return errors.map(({ message }) => message)
}

export function statusOf({ changes }: Pick<Build, 'changes'>): string[] {
  return changes.map(({ path, status }) => `${status} ${path}`)
}
