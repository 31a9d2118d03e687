import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { checkWorkflows } from '../../../src/cli/check.ts'
import type { Finding } from '../../../src/wire/errors.ts'
import { GLOBS, Repository } from '../../compiler/support/repository.ts'

/** A repository without sources, for one workflow of GitHub's own at a time. */
export class Checked {
  readonly #repository = new Repository()

  constructor() {
    rmSync(join(this.#repository.root, 'workflows'), { recursive: true })
  }

  /** Another file beside it: what it calls. */
  write(file: string, text: string): void {
    this.#repository.write(file, text)
  }

  /** The findings in `.github/workflows/hook.yml` with this text. */
  async findings(text: string, strict = false): Promise<readonly Finding[]> {
    this.#repository.write('.github/workflows/hook.yml', text)
    const { root } = this.#repository
    const { findings } = await checkWorkflows({ root, globs: [], strict })
    return findings
  }

  /** The findings in the source `workflows/hook.yml` with this text. */
  async findingsInSource(text: string): Promise<readonly Finding[]> {
    this.#repository.write('workflows/hook.yml', text)
    const { findings } = await checkWorkflows({ root: this.#repository.root, globs: GLOBS })
    return findings
  }

  /** The same as strings: `error unknown-output 7`. */
  async found(text: string, strict = false): Promise<string[]> {
    const findings = await this.findings(text, strict)
    return findings.map(({ level, code, position }) => `${level} ${code} ${position?.line}`)
  }

  /** The ids alone, each once. */
  async ids(text: string, strict = false): Promise<string[]> {
    const found = await this.found(text, strict)
    return [...new Set(found.map((one) => one.split(' ')[1] ?? ''))].sort()
  }

  remove(): void {
    this.#repository.remove()
  }
}
