import { readFile } from 'node:fs/promises'
import { ownerProblem } from './npm-owner.js'

// Refuses a release if another account owns the name on npm, because that account could run code on
// the machine of everyone who uses our commands.
const [repository = ''] = process.argv.slice(2)
const { name } = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8'))
const registry = process.env.npm_config_registry ?? 'https://registry.npmjs.org'
const answer = await fetch(`${registry.replace(/\/$/, '')}/${name}`)
const found = answer.ok ? await answer.json() : undefined
const problem = ownerProblem({ name, status: answer.status, found }, repository)
if (problem) {
  console.error(`::error::${problem}`)
  process.exitCode = 1
}
