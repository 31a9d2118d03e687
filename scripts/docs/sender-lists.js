import { readdir, readFile } from 'node:fs/promises'

const SENDERS = new URL('../../src/triggers/senders/', import.meta.url)

/** The lists, by the aspect that they gather, with the type of an entry, and what they are for. */
const LISTS = {
  facts: ['Facts', 'What a user has to know of each sender.'],
  scheme: ['OwnScheme', 'How each sender proves itself, where it has a scheme of its own.'],
  signing: ['Signing', 'How to sign as the senders do whose scheme is code.'],
  handshake: ['Handshake', 'How senders ask whether a URL is ours.'],
  door: ['Door', 'What senders are answered where the grant carries what proves them.'],
  payloads: ['Payloads', 'Requests of each sender.'],
  page: ['Page', 'What is to be clicked at each sender.'],
}

/**
 * The lists of what the files of senders export, a module each: so a bundle that uses one aspect
 * holds nothing of the others.
 *
 * @returns {Promise<[path: string, text: string][]>}
 */
export async function senderLists() {
  const files = (await readdir(SENDERS)).filter((name) => name.endsWith('.ts')).sort()
  const exported = await Promise.all(
    files.map(async (file) => {
      const text = await readFile(new URL(file, SENDERS), 'utf8')
      const names = text.matchAll(/^export (?:const (\w+)|\{ \w+ as (\w+) \})/gm)
      return { name: file.slice(0, -3), aspects: [...names].map(([, a, b]) => a ?? b) }
    }),
  )
  return Object.entries(LISTS).map(([aspect, [type = '', told = '']]) => {
    const names = exported.flatMap(({ name, aspects }) => (aspects.includes(aspect) ? [name] : []))
    const imports = names.map((name) => {
      const as = aspect === variable(name) ? aspect : `${aspect} as ${variable(name)}`
      return `import { ${as} } from '../senders/${name}.ts'`
    })
    const lines = names.map((name) =>
      variable(name) === name ? `  ${name},` : `  '${name}': ${variable(name)},`,
    )
    const text = `// Made by "npm run docs" from the files in senders/.
import type { ${type} } from '../sender.ts'
${imports.join('\n')}

/** ${told} */
export const ${aspect.toUpperCase()}: Readonly<Record<string, ${type}>> = {
${lines.join('\n')}
}
`
    return [`src/triggers/lists/${aspect}.ts`, text]
  })
}

/** @param {string} name */
function variable(name) {
  return name.replace(/-(\w)/g, (_, letter) => letter.toUpperCase())
}
