import { readdirSync, readFileSync } from 'node:fs'
import { join, parse } from 'node:path'
import { workflowFileSource } from '../../action/workflow-files.ts'
import type { WorkflowSource } from '../../engine/event.ts'
import { UserError } from '../../wire/errors.ts'
import type { Contexts } from '../../workflow/expressions.ts'
import type { Workflow } from '../../workflow/workflow.ts'
import { readInlineOn } from '../../workflow/workflow.ts'

const NATIVE_FOLDER = '.github/workflows'
const ADVICE = ['make one with: hookline init']

interface DevWorkflowOptions {
  readonly root: string
  readonly globs: readonly string[]
  readonly contexts: Contexts
}

/**
 * What can be tried on this machine: workflow files, and the triggers that native workflow files
 * give the action inline. Of one name, the workflow file counts: the native one is compiled from it.
 */
export function devWorkflowSource({ root, globs, contexts }: DevWorkflowOptions): WorkflowSource {
  const files = workflowFileSource({ root, globs, calling: '', contexts, advice: ADVICE })
  const native = () => nativeFiles(root).filter(({ name, file }) => has(root, name, file, contexts))
  return {
    calling: '',
    names() {
      const inline = native().map(({ name }) => name)
      return [...new Set([...namesOf(files, inline.length > 0), ...inline])]
    },
    find(name) {
      const own = files.find(name)
      const file = own ? undefined : nativeFiles(root).find((native) => native.name === name)?.file
      return file === undefined ? own : readInline(root, name, file, contexts)
    },
  }
}

/** No workflow file at all is a mistake only where nothing stands inline either. */
function namesOf(files: WorkflowSource, isInline: boolean): readonly string[] {
  try {
    return files.names()
  } catch (error) {
    if (isInline && error instanceof UserError) return []
    throw error
  }
}

function nativeFiles(root: string): { readonly name: string; readonly file: string }[] {
  const found = listed(join(root, NATIVE_FOLDER)).filter((file) => /\.ya?ml$/.test(file))
  return found.sort().map((file) => ({ name: parse(file).name, file: `${NATIVE_FOLDER}/${file}` }))
}

function listed(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

/** One with mistakes counts, so that they are shown. */
function has(root: string, name: string, file: string, contexts: Contexts): boolean {
  try {
    return readInline(root, name, file, contexts) !== undefined
  } catch (error) {
    if (error instanceof UserError) return true
    throw error
  }
}

function readInline(
  root: string,
  name: string,
  file: string,
  contexts: Contexts,
): Workflow | undefined {
  const text = readFileSync(join(root, file), 'utf8')
  return readInlineOn(name, { name: file, file, text }, contexts)
}
