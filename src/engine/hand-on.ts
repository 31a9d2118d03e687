import type { Item } from '../items/item.ts'
import type { Addressed } from './events.ts'
import { firedContext, type OnContext } from './on-context.ts'

/** A file that is to be written before the outputs. */
export interface OutputFile {
  /** Absolute. */
  readonly path: string
  readonly text: string
}

/** Items as jobs get them. */
export interface HandedOn {
  readonly contexts: readonly OnContext[]
  readonly files: readonly OutputFile[]
  /** Names of the outputs that the first item's fields become. */
  readonly fields: readonly string[]
}

/** Makes `on` contexts of items, as `outputsMode` and `exportOutputs` say. */
export function handOn(at: Addressed, items: readonly Item[], folder: string): HandedOn {
  const { workflow, trigger } = at
  const { outputsMode, exportOutputs } = trigger.config
  if (items.length === 0) return { contexts: [], files: [], fields: [] }
  const outputs = outputsMode === 'combine' ? [[...items]] : items
  const files = exportOutputs ? outputs.map((one, index) => outputFile(at, one, index, folder)) : []
  const contexts = outputs.map((one, index) => {
    const file = files[index]
    return firedContext(workflow, trigger.name, file ? { path: file.path } : one)
  })
  const plain = outputsMode === 'separate' && !exportOutputs
  return { contexts, files, fields: plain ? Object.keys(trigger.definition.outputs) : [] }
}

function outputFile(
  { workflow, trigger }: Addressed,
  outputs: Item | Item[],
  index: number,
  folder: string,
): OutputFile {
  const { outputsDir } = trigger.config
  const base = /^([/\\]|[a-z]:)/i.test(outputsDir) ? outputsDir : `${folder}/${outputsDir}`
  const name = `${encodeURIComponent(workflow.name)}/${trigger.name}/${index + 1}.json`
  return { path: `${base}/${name}`, text: JSON.stringify(outputs) }
}
