import { type Fixed, fixSource } from '../check/fix.ts'
import { type RepositoryFiles, RuleFile } from '../check/rule.ts'
import { originOf } from '../compiler/compiled-files.ts'
import { mayUseAction, readNativeWorkflow } from '../compiler/native.ts'
import { spelled } from '../compiler/rewrite.ts'
import { readSourceFile } from '../compiler/source-file.ts'
import { type Source, UserError } from '../wire/errors.ts'
import { parseYaml } from '../workflow/yaml.ts'
import type { WorkflowText } from './build-workflows.ts'
import { isNative } from './files.ts'

/**
 * A workflow file after every fix that is certain: of its rules, and in a source also operators of other
 * languages. A file with mistakes that no rule can read past stays as it is.
 */
export function fixWorkflow(file: WorkflowText, repository: RepositoryFiles): Fixed {
  const { name, source } = file
  if (!isNative(file)) {
    const spelling = spelled(source)
    const fixed = withFixes(spelling.source, (text) => {
      const parsed = readSourceFile(name, text)
      return new RuleFile(parsed, repository, { source: parsed })
    })
    return { ...fixed, count: fixed.count + spelling.count }
  }
  // A compiled file is fixed in its source.
  if (!mayUseAction(source.text) || originOf(source.text)) return { source, count: 0 }
  return withFixes(source, (text) => {
    const native = readNativeWorkflow(name, text)
    const parsed = native ?? { source: text, document: parseYaml(text) }
    return new RuleFile(parsed, repository, { native })
  })
}

function withFixes(source: Source, read: (source: Source) => RuleFile): Fixed {
  try {
    return fixSource(source, read)
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    return { source, count: 0 } // `check` reports the mistakes of the file
  }
}
