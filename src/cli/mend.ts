import { spelled } from '../compiler/rewrite.ts'
import { readSourceFile } from '../compiler/source-file.ts'
import { fixUntrusted } from '../lint/fix/fix.ts'
import { type Source, UserError } from '../wire/errors.ts'
import type { ParsedFile } from '../workflow/nodes.ts'
import { parseYaml } from '../workflow/yaml.ts'

/** What `--fix` made of a file, and how many things in it. */
export interface Mended {
  readonly source: Source
  readonly count: number
}

/** What has one answer only is written so: words of other languages, and untrusted text in scripts. */
export function mendedSource(named: Source): Mended {
  const { source, count } = spelled(named)
  const mended = withoutUntrusted(source, () => readSourceFile('', source))
  return { ...mended, count: count + mended.count }
}

/** The same for a workflow of GitHub's own, whose words are GitHub's. */
export function mendedNative(source: Source): Mended {
  return withoutUntrusted(source, () => ({ source, document: parseYaml(source) }))
}

function withoutUntrusted(source: Source, read: () => ParsedFile): Mended {
  try {
    const { text, count } = fixUntrusted(read())
    return { source: { ...source, text }, count }
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    return { source, count: 0 } // others tell what is wrong with it
  }
}
