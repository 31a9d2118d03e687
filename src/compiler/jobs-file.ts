import type { Edit } from './edits.ts'
import { declarationLines, type WorkflowInput } from './inputs.ts'
import type { Section, SourceFile } from './source-file.ts'
import { indent, type Lines } from './yaml-lines.ts'

/** Keys that speak of the whole workflow, and so stand in the listening file alone. */
const LISTENING_KEYS = ['name', 'run-name']

/**
 * What makes the source the workflow that the listening one calls for each item: it stays as it
 * stands, but for its rewritten expressions and the head.
 *
 * @param callOutputs lines of `outputs:` where the source itself can be called
 */
export function jobsFileEdits(
  file: SourceFile,
  rewritten: readonly Edit[],
  inputs: readonly WorkflowInput[],
  callOutputs: Lines,
): Edit[] {
  const on = [...callLines(inputs, callOutputs), ''].join('\n')
  return [
    { start: file.on.start, end: file.on.end, text: on },
    ...LISTENING_KEYS.flatMap((key) => cut(file.sections.get(key))),
    ...rewritten.filter(({ start }) => !isListening(file, start)),
  ]
}

function callLines(inputs: readonly WorkflowInput[], callOutputs: Lines): string[] {
  const own = ['on:', '  description: The on context of one item, as JSON.', '  required: true']
  const declared = [...own, '  type: string', ...inputs.flatMap(declarationLines)]
  return [
    'on:',
    '  workflow_call:',
    '    inputs:',
    ...indent(declared, 6),
    ...indent(callOutputs, 4),
  ]
}

function cut(section: Section | undefined): Edit[] {
  return section ? [{ start: section.start, end: section.end, text: '' }] : []
}

function isListening({ sections }: SourceFile, place: number): boolean {
  return LISTENING_KEYS.some((key) => {
    const section = sections.get(key)
    return section !== undefined && place >= section.start && place < section.end
  })
}
