import type { Command, SyntaxNode } from 'unbash'
import { type Nested, wordsOf } from './shell-nodes.ts'

/** Commands that read a text as code: with one of them in a script, no variable of it is safe. */
const EVALUATING = words(
  'alias bash coproc csh dash declare eval exec fish ksh let parallel sh source ssh su trap typeset xargs zsh',
)

/** Programs that read an argument, or what is piped into them, as code of their own. */
const INTERPRETERS = words(
  'awk bc docker ed expect find gawk gdb getopts jq kubectl lua m4 make mapfile mawk mysql node npx osascript perl php podman psql pwsh python python2 python3 read readarray ruby sed sqlite3 tclsh unset vim wait watch',
)

/** Operators of tests that calculate, and so run what stands in an index such as `a[$(…)]`. */
const CALCULATING = words('-eq -ne -lt -le -gt -ge -v -R')

/** Variables that decide what other commands do. */
const GOVERNING = words(
  'BASH_ENV ENV GIT_SSH GIT_SSH_COMMAND IFS LD_LIBRARY_PATH LD_PRELOAD NODE_OPTIONS PATH PERL5OPT PROMPT_COMMAND PS4 PYTHONPATH PYTHONSTARTUP RUBYOPT',
)

function words(text: string): ReadonlySet<string> {
  return new Set(text.split(' '))
}

/** True for a node that can turn the value of any variable into code. */
export function evaluates(node: SyntaxNode): boolean {
  if (node.type.startsWith('Arithmetic')) return true
  if (node.type === 'TestBinary' || node.type === 'TestUnary') return CALCULATING.has(node.operator)
  if (node.type === 'Assignment') return GOVERNING.has(node.name)
  return node.type === 'Command' && (isNamedByValue(node) || evaluatesWords(node))
}

/** `$TOOL --flag`: the value is split, and its first word is run. */
function isNamedByValue({ name }: Command): boolean {
  return (name?.parts ?? []).some(({ type }) => /Expansion$/.test(type) || type === 'DoubleQuoted')
}

function evaluatesWords(command: Command): boolean {
  const all = wordsOf(command)
  if (all[0] === '.' || (isTest(all) && all.includes('-v'))) return true
  return all.some((word) => EVALUATING.has(word))
}

function isTest([name]: readonly string[]): boolean {
  return name === 'test' || name === '[' || name === 'printf'
}

export function runsAnInterpreter(node: SyntaxNode): boolean {
  return node.type === 'Command' && wordsOf(node).some((word) => INTERPRETERS.has(word))
}

/** `export "$TEXT"`: a text that names a variable can hold an index, and a flag can make it a number. */
export function isNaming(command: Command, inner: SyntaxNode | undefined): boolean {
  const [name, ...more] = wordsOf(command)
  if (!['export', 'readonly', 'local'].includes(name ?? '')) return false
  return inner?.type !== 'Assignment' || more.some((word) => /^-\w*[in]/.test(word))
}

/** One line more in these files is one variable, or one folder of programs, more for all later steps. */
export function writesEnvironment(script: string, nodes: readonly Nested[]): boolean {
  return nodes.some(({ node }) => /GITHUB_(ENV|PATH)\b/.test(script.slice(node.pos, node.end)))
}
