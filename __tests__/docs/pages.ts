import { readdirSync, readFileSync } from 'node:fs'

const ROOT = new URL('../../', import.meta.url)

/** A fenced block with its position. */
export interface Block {
  readonly page: string
  /** The line number of its first line of content, from 1. */
  readonly line: number
  /** The heading above it. */
  readonly heading: string
  /** Empty if the fence has no language. */
  readonly language: string
  readonly text: string
}

export interface Page {
  readonly name: string
  readonly text: string
  readonly blocks: readonly Block[]
}

/** Every page for readers, by its path in the repository. */
export const PAGES: readonly Page[] = [
  'README.md',
  'CONTRIBUTING.md',
  ...readdirSync(new URL('docs/', ROOT), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .sort()
    .map((name) => `docs/${name}`),
].map(readPage)

function readPage(name: string): Page {
  const text = readFileSync(new URL(name, ROOT), 'utf8')
  return { name, text, blocks: blocksOf(name, text) }
}

/** Indented fences, as in a list, count too; an unclosed fence is an error. */
export function blocksOf(page: string, text: string): Block[] {
  const lines = text.split('\n')
  const blocks: Block[] = []
  let heading = ''
  for (let at = 0; at < lines.length; at++) {
    heading = /^#+ (.*)/.exec(lines[at] ?? '')?.[1] ?? heading
    const [, indent = '', fence, language = ''] =
      /^( *)(`{3,}|~{3,})(.*)$/.exec(lines[at] ?? '') ?? []
    if (!fence) continue
    const end = lines.findIndex((line, index) => index > at && line.trim() === fence)
    if (end < 0) throw new Error(`${page}:${at + 1}: a block without an end`)
    const inside = lines.slice(at + 1, end).map((line) => line.replace(indent, ''))
    const inner = inside.map((line) => `${line}\n`).join('')
    blocks.push({ page, line: at + 2, heading, language, text: inner })
    at = end
  }
  return blocks
}

/** The prose of a page, without blocks. */
export function prose({ text }: Page): string {
  return text.replaceAll(/^( *)(`{3,})[\s\S]*?^ *\2$/gm, '')
}

/** The inline code of a page, with line numbers. */
export function mentions(page: Page): { readonly line: number; readonly code: string }[] {
  const lines = page.text.split('\n')
  const inside = new Set(
    page.blocks.flatMap(({ line, text }) => text.split('\n').map((_, index) => line + index - 1)),
  )
  return lines.flatMap((text, index) =>
    inside.has(index)
      ? []
      : [...text.matchAll(/(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)/g)].map(([, , code = '']) => ({
          line: index + 1,
          code: code.trim(),
        })),
  )
}
