import { type Document, isMap, type Node } from 'yaml'
import type { Source } from '../wire/errors.ts'
import { FatalMistake } from './mistakes.ts'
import { type DeclaredTrigger, readOn } from './on.ts'
import type { Reading } from './options.ts'
import { pairOf, parseYaml } from './yaml.ts'

/**
 * The triggers of the `on:` section in the input `on`, with or without the key `on:`.
 *
 * @throws UserError with all problems of the section
 */
export function sectionTriggers(
  source: Source,
  known: Pick<Reading, 'contexts' | 'expressions' | 'triggers'>,
): readonly DeclaredTrigger[] {
  const document = parseYaml(source)
  return triggersOf({ source, document, ...known }, onSectionOf(document))
}

/** The `on:` section of a document, with or without the key `on:`. */
export function onSectionOf({ contents }: Document.Parsed): Node | null {
  const whole =
    isMap(contents) && contents.items.length === 1 ? pairOf(contents, 'on')?.value : undefined
  return (whole ?? contents) as Node | null // a parsed document contains nodes only
}

/** @throws UserError with all problems of the section */
export function triggersOf(reading: Reading, on: Node | null): readonly DeclaredTrigger[] {
  const { triggers, problems } = readOn(reading, on)
  if (problems.length > 0) throw new FatalMistake(problems)
  return triggers
}
