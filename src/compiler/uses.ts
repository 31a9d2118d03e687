import { isMap, isScalar, isSeq, type Node, Scalar } from 'yaml'
import type { Operation } from '../workflow/operations.ts'
import { type Path, pairKey, pairsOf, rangeOf } from '../workflow/yaml.ts'
import type { ActionLock } from './action-lock.ts'
import { hasConflict } from './compiled-files.ts'
import { type CompileSettings, usesOn } from './compiler-settings.ts'
import type { SourceFile } from './source-file.ts'

/** The step of the job `on` as the compiler writes it: as lines, or within braces. */
const ON_STEP = /^\s*- id: on\n\s+uses:[ \t]*(?:'([^'\n]*)'|"([^"\n]*)"|([^\s#]+))([ \t]+#[^\n]*)?/m
const ON_STEP_IN_FLOW = /\bid"?: ?"?on"?, ?"?uses"?: ?"([^"]+)"/

/** The action in the job `on` of a compiled file, with its comment. */
export function existingUses(compiled: string | undefined): string | undefined {
  if (compiled === undefined) return undefined
  const text = withoutMarks(compiled)
  const lines = ON_STEP.exec(text)
  if (!lines) return ON_STEP_IN_FLOW.exec(text)?.[1]
  const [, single, double, bare, comment = ''] = lines
  const uses = single ?? double ?? bare
  return uses === undefined ? undefined : `${uses}${comment.replace(/^[ \t]+/, ' ').trimEnd()}`
}

/** The lines of both sides of a conflict that Git marked. */
function withoutMarks(text: string): string {
  const unix = text.replaceAll('\r\n', '\n')
  return hasConflict(unix) ? unix.replace(/^(?:<{7}|={7}|>{7}|\|{7}).*\n/gm, '') : unix
}

/** An action at a version: `actions/checkout`, `v5`. */
interface ActionVersion {
  readonly action: string
  readonly ref: string
  /** The comment with the white space and the number sign before it; empty if there is none. */
  readonly comment: string
}

const USES_LINE =
  /^[ \t]*(?:- )?uses:[ \t]*['"]?([^\s'"#@]+)@([^\s'"#]+)['"]?([ \t]+#[^\n]*)?[ \t]*$/gm

/** Every action of a compiled file from another repository. */
export function versionsIn(compiled: string | undefined): ActionVersion[] {
  if (compiled === undefined) return []
  return [...withoutMarks(compiled).matchAll(USES_LINE)].map(
    ([, action = '', ref = '', comment = '']) => ({ action, ref, comment: comment.trimEnd() }),
  )
}

/** The only folder in which GitHub, and its lock file, look for workflows. */
const FOLDER = '.github/workflows'

const COMMIT = /^[0-9a-f]{40}$/

/** The sources of a different version for the actions of a source. */
interface KnownUses {
  readonly settings: CompileSettings
  /** The compiled file that will be replaced. */
  readonly existing: string | undefined
  readonly lock: ActionLock | undefined
  /** The name of the compiled file that will be replaced. */
  readonly name: string
}

/**
 * Changes the versions of actions in the user's own steps: Hookline's actions get the pinned
 * commit, and their address on other forges; other actions get the version of GitHub's lock file
 * for the existing compiled file. A commit in the source remains.
 */
export function usesOperations(file: SourceFile, known: KnownUses): Operation[] {
  const { settings, existing, lock } = known
  const path = `${FOLDER}/${known.name}`
  const isAbroad = settings.forge !== 'github'
  const isPinned = COMMIT.test(versionOf(settings.uses)?.ref ?? '')
  const there = versionsIn(existing).filter(({ ref }) => COMMIT.test(ref) || lock !== undefined)
  if (!isAbroad && !isPinned && there.length === 0) return []
  return usesIn(file).flatMap(({ node, at }): Operation[] => {
    const written = versionOf(node.value)
    if (!written) {
      const local = lock?.locks(path) ? localForm(node.value, existing) : undefined
      const { text } = file.source
      return local ? [{ op: 'set', path: at, lines: [inPlaceOf(text, node, local, '')] }] : []
    }
    const pin = isOurs(written.action) ? pinOf(written, settings, there) : undefined
    const kept = pin ?? lock?.lockedForm(path, written, there)
    const own = isOurs(written.action)
    const chosen = kept ?? { ...written, comment: '' }
    const action = own ? usesOn(settings.forge, chosen.action) : chosen.action
    const uses = `${action}@${chosen.ref}`
    if (uses === node.value) return []
    return [
      { op: 'set', path: at, lines: [inPlaceOf(file.source.text, node, uses, chosen.comment)] },
    ]
  })
}

function versionOf(uses: string): ActionVersion | undefined {
  const [, action = '', ref, comment = ''] = /^([^@]+)@(\S+)(\s+#.*)?$/.exec(uses) ?? []
  return ref === undefined ? undefined : { action, ref, comment }
}

/** Whether it is an action of Hookline: `hookline/hookline`, `…/reply`, by name or by address. */
function isOurs(action: string): boolean {
  return /^(?:https:\/\/github\.com\/)?hookline\/hookline(?:\/reply)?\/*$/i.test(action)
}

/** The commit that an action of Hookline is pinned to, if the source names a tag or a branch. */
function pinOf(
  written: ActionVersion,
  { uses, isUsesConfigured }: CompileSettings,
  there: readonly ActionVersion[],
): ActionVersion | undefined {
  if (COMMIT.test(written.ref)) return undefined
  const configured = versionOf(uses)
  const isConfigured =
    isUsesConfigured && configured && isOurs(configured.action) && COMMIT.test(configured.ref)
  if (isConfigured) return { ...configured, action: written.action }
  const name = (action: string) => usesOn('github', action).replace(/\/+$/, '').toLowerCase()
  const pin = there.find(
    ({ action, ref }) => COMMIT.test(ref) && name(action) === name(written.action),
  )
  // A source with a newer major version is not pinned to the older one.
  const major = /^v(\d+)/.exec(written.ref)?.[1]
  const pinned = /v?(\d+)/.exec(pin?.comment ?? '')?.[1]
  const isOther = major !== undefined && pinned !== undefined && major !== pinned
  return pin && !isOther ? { ...pin, action: written.action } : undefined
}

/** `$/a` for `./a`, which `gh actions-lock` writes: the same action, at the commit that runs. */
function localForm(uses: string, existing: string | undefined): string | undefined {
  if (!uses.startsWith('./')) return undefined
  const form = `$/${uses.slice(2)}`
  return existing?.includes(`uses: ${form}\n`) ? form : undefined
}

/** The action of the job `on`, from the settings or in the form of the lock file. */
export function onJobUses({ settings, existing, lock, name }: KnownUses): string {
  const configured = versionOf(settings.uses)
  const there = versionOf(existingUses(existing) ?? '')
  if (!lock || !configured || !there) return settings.uses
  const kept = lock.lockedForm(`${FOLDER}/${name}`, configured, [there])
  return kept ? `${kept.action}@${kept.ref}${kept.comment}` : settings.uses
}

/** The value with its original quotes; with a comment, if nothing else follows on the line. */
function inPlaceOf(text: string, node: Scalar<string>, uses: string, comment: string): string {
  const [, end] = rangeOf(node)
  const isLast = /^[ \t]*(?:\n|$)/.test(text.slice(end))
  const quote =
    node.type === Scalar.QUOTE_SINGLE ? "'" : node.type === Scalar.QUOTE_DOUBLE ? '"' : ''
  return `${quote}${uses}${quote}${isLast ? comment : ''}`
}

interface Uses {
  readonly node: Scalar<string>
  readonly at: Path
}

/** Every `uses:` of jobs and their steps, except aliases. */
function usesIn({ jobs }: SourceFile): Uses[] {
  const found: Uses[] = []
  const lookInto = (node: Node | null, at: Path): void => {
    if (!isMap(node)) return
    for (const pair of pairsOf(node)) {
      const key = pairKey(pair)
      const { value } = pair
      if (key === 'uses' && isScalar(value) && typeof value.value === 'string') {
        found.push({ node: value as Scalar<string>, at: [...at, key] })
      }
      if ((key === 'steps' || key === 'parallel') && isSeq(value)) {
        value.items.forEach((item, index) => {
          // a parsed document contains nodes only
          lookInto(item as Node | null, [...at, key, index])
        })
      }
    }
  }
  const { value } = jobs
  for (const pair of isMap(value) ? pairsOf(value) : [])
    lookInto(pair.value, ['jobs', pairKey(pair)])
  return found
}
