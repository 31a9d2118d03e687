import { type Finding, type Level, type Problem, UserError } from '../wire/errors.ts'

/** The mistakes of a workflow file that are not rules, with their documentation, by code. */
export const MISTAKES = {
  'invalid-workflow': 'what keeps the files from being read at all',
  'yaml-syntax': 'what is no YAML',
  'duplicate-key': 'a key that one mapping contains twice; GitHub compares keys without case',
  'yaml-tag': 'a tag before a value, such as the `!` of `if: ! x`',
  'yaml-directive': 'a directive that GitHub refuses, such as `%YAML 1.2`',
  'anchor-name': 'an anchor whose name GitHub refuses',
  'merge-key': 'the merge key `<<`, which GitHub does not have',
  'number-range': 'a number that is too large for GitHub',
  'ignored-yaml': 'a tag, a directive or a merge key without an effect',
  'too-large': 'a file with more than a workflow file can have',
  'not-utf8': 'bytes that are no UTF-8',
  'no-file': 'a workflow file that is not there, or cannot be read',
  'file-name': 'a file name that no URL and no workflow can have',
  'same-file': 'two sources that would be compiled into one file',
  'not-a-workflow': 'a file without the sections of a workflow',
  'unsupported-yaml': 'YAML that the compiler does not edit',
  'bad-alias': 'an alias without its anchor, or within it',
  'alias-moved': 'an alias that cannot come along to where its text goes',
  'no-trigger': 'a file without a trigger of Hookline',
  'unknown-trigger': 'a trigger that is not known, or not declared',
  'trigger-form': 'a trigger, or its options, in another form than theirs',
  'unknown-option': 'an option that a trigger does not have',
  'option-value': 'a value that an option does not take',
  'option-needs': 'an option that does nothing without another one, or a store',
  'idle-option': 'an option that has no effect',
  'lost-outputs': 'outputs that no other job would see',
  'bad-script': 'JavaScript that does not compile',
  'bad-expression': 'what is no expression of GitHub',
  'unnamed-value': 'a secret or a variable that only the run could name',
  'context-not-here': 'the context `on` where GitHub reads before there is one',
  'unknown-field': 'a name that the context `on` does not have',
  'event-name': 'a trigger where GitHub has the name of its event',
  'reserved-name': 'a name that the compiled file needs itself',
  'event-collision': 'an event of the source that webhooks would start too',
  'env-of-event': 'a variable that the job `on` needs before it has the event',
  'queue-refused': 'a queue whose members cancel each other',
  'queue-left-out': '`queue:` on a forge without queues',
  'waiting-cancelled': 'events that wait, and are cancelled by newer ones',
  'group-cancels': 'a group in which webhooks and other events cancel each other',
  'less-permissions': 'a job that gets less permissions than it would by itself',
  'poll-schedule': 'a schedule that is not what the file says, or that it does not say',
  'unnamed-delivery': 'a `run-name` without the delivery id',
  'unknown-setting': 'a setting of the compiler that is not known',
  'setting-value': 'a value that a setting of the compiler does not take, here or on this platform',
  'own-key': 'the key `hookline:` in a file of GitHub',
  'unknown-key': "a key that GitHub's parser does not know yet",
  'refused-by-github': "what GitHub's parser refuses",
  'unexpected-value': "a value that GitHub's parser does not expect",
  'unknown-name': "a name that GitHub's parser does not know",
  'changed-by-hand': 'a compiled file with changes of its own',
  'not-compiled': 'a file of a person where a compiled one would go',
  'not-locked': "an action that GitHub's lock file does not name",
} as const

export type MistakeCode = keyof typeof MISTAKES

/** A problem with one of these codes, or with the code of a rule. */
export interface Mistake extends Problem {
  readonly code: MistakeCode | 'unknown-output'
}

/** Thrown if a mistake leaves nothing that can be read. */
export class FatalMistake extends UserError {
  declare readonly problems: readonly Mistake[]

  constructor(mistakes: Mistake | readonly Mistake[], options?: ErrorOptions) {
    super(mistakes, options)
  }
}

export function asFindings(mistakes: readonly Problem[], level: Level): Finding[] {
  return mistakes.map((mistake) => ({
    ...mistake,
    code: mistake.code ?? 'invalid-workflow',
    level,
  }))
}

/** Mistakes that are warnings, and errors with `--strict`. */
export const STRICT_MISTAKES: ReadonlySet<string> = new Set<MistakeCode>(['ignored-yaml'])
