import type { Argument, Command, Option } from 'commander'

/** A completion at a position of a command line. */
export interface CompletionCandidate {
  readonly value: string
  /** One line; empty where the value says all. */
  readonly about: string
}

export interface Completion {
  readonly candidates: readonly CompletionCandidate[]
  /** Whether a file fits there, which the shell itself completes. */
  readonly files: boolean
}

/** The values of a place, by the name that the help gives it: `workflow`, `sender`, `fixture`, … */
export type PlaceNames = (place: string) => Promise<readonly string[]>

const NOTHING: Completion = { candidates: [], files: false }

/**
 * The completions at the end of a command line, from the tree of commands that also parses it.
 *
 * @param words behind the program's name; the last is the one being typed, empty where it begins
 */
export async function completionOf(
  program: Command,
  words: readonly string[],
  names: PlaceNames,
): Promise<Completion> {
  // bash takes `--kind=bot` apart at its `=`, and leaves what is in front of it as it stands.
  const whole = words.filter((word, at) => word !== '=' || at === words.length - 1)
  const typed = whole.at(-1) === '=' ? '' : (whole.at(-1) ?? '')
  const { command, waiting, arguments: behind, isOver } = placeAfter(program, whole.slice(0, -1))
  if (waiting) return valuesOf(waiting, typed, '', names)
  if (!isOver && typed.startsWith('-')) {
    const [, flag = '', value] = /^(--[^=]+)=(.*)$/.exec(typed) ?? []
    const option = optionNamed(command, flag)
    if (value === undefined) return { candidates: flagsOf(command, typed), files: false }
    return option ? valuesOf(option, value, `${flag}=`, names) : NOTHING
  }
  if (behind.length === 0 && command.commands.length > 0) {
    const known = command.createHelp().visibleCommands(command)
    const candidates = known.map((each) => ({ value: each.name(), about: each.description() }))
    return { candidates: startingWith(typed, candidates), files: false }
  }
  const { registeredArguments } = command
  const argument = registeredArguments[behind.length] ?? registeredArguments.at(-1)
  const isPast = behind.length >= registeredArguments.length && !argument?.variadic
  return argument && !isPast ? valuesOf(argument, typed, '', names) : NOTHING
}

interface CommandPosition {
  readonly command: Command
  /** The option whose value is to come. */
  readonly waiting: Option | undefined
  readonly arguments: readonly string[]
  /** True behind `--`, where no option stands any more. */
  readonly isOver: boolean
}

function placeAfter(program: Command, words: readonly string[]): CommandPosition {
  let command = program
  let waiting: Option | undefined
  const behind: string[] = []
  for (const [at, word] of words.entries()) {
    if (word === '--') {
      return { command, waiting: undefined, arguments: words.slice(at + 1), isOver: true }
    }
    if (waiting) {
      waiting = waiting.variadic ? waiting : undefined
      if (!word.startsWith('-')) continue
    }
    if (word.startsWith('-')) {
      const option = optionNamed(command, word)
      waiting = option && (option.required || option.optional) ? option : undefined
      continue
    }
    const child = behind.length === 0 ? commandNamed(command, word) : undefined
    if (child) command = child
    else behind.push(word)
  }
  return { command, waiting, arguments: behind, isOver: false }
}

function commandNamed(command: Command, name: string): Command | undefined {
  return command.commands.find((each) => each.name() === name)
}

function optionNamed(command: Command, flag: string): Option | undefined {
  return command.options.find(({ long, short }) => flag !== '' && (flag === long || flag === short))
}

function flagsOf(command: Command, typed: string): readonly CompletionCandidate[] {
  const options = command.createHelp().visibleOptions(command)
  const flags = options.map(({ long, short, description }) => ({
    value: long ?? short ?? '',
    about: description,
  }))
  return startingWith(typed, flags)
}

async function valuesOf(
  place: Option | Argument,
  typed: string,
  prefix: string,
  names: PlaceNames,
): Promise<Completion> {
  const name = placeName(place)
  if (FILES.has(name)) return { candidates: [], files: true }
  const values = place.argChoices ?? (await names(name))
  const candidates = startingWith(
    typed,
    values.map((value) => ({ value, about: '' })),
  )
  return {
    candidates: candidates.map((each) => ({ ...each, value: prefix + each.value })),
    files: false,
  }
}

/** The names in the help of arguments that are existing files or folders. */
const FILES: ReadonlySet<string> = new Set(['file', 'files', 'folder', 'glob'])

/** `<sender>` says what it is; a `<name>` is what its flag says: `--workflow <name>`. */
function placeName(place: Option | Argument): string {
  if (!('flags' in place)) return place.name()
  const [, value = ''] = /[<[]([^>\].]+)/.exec(place.flags) ?? []
  return value === 'name' ? (place.long ?? '').slice(2) : value
}

function startingWith(
  typed: string,
  candidates: readonly CompletionCandidate[],
): readonly CompletionCandidate[] {
  return candidates.filter(({ value }) => value.startsWith(typed))
}
