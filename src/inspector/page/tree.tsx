import { type Signal, useComputed, useSignal } from '@preact/signals'
import type { TargetedKeyboardEvent } from 'preact'

type JsonPath = readonly (string | number)[]

/**
 * A tree of a JSON value. Branches are built when they are opened, so a large payload costs nothing
 * until someone looks.
 */
interface TreeProps {
  /** Its children are the first level. */
  root: object
  label: string
  /** A value was clicked, or Enter pressed on it. */
  pick?: (path: JsonPath, value: unknown) => void
  /** Path, as JSON, of the value that is picked. */
  picked?: string
}

interface Tree extends Omit<TreeProps, 'root' | 'label'> {
  /** Path, as JSON, of the one item that Tab reaches: the one that had the focus last. */
  reachable: Signal<string>
}

/** The number of children that are shown first; a button shows more. */
const PAGE = 100
/** Levels that are open at first, in branches of a few children. */
const OPEN = { levels: 4, children: 12 }
/** Long, and seldom what is looked for. */
const CLOSED = new Set(['headers'])
/** Characters of a text that are shown in its line. */
const SHOWN = 2000

export function Tree({ root, label, ...options }: TreeProps) {
  const [first] = treeEntries(root, [])
  const reachable = useSignal(first ? JSON.stringify([first[0]]) : '')
  return (
    // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: a tree of lists, as ARIA's own patterns have it
    <ul class="tree" role="tree" aria-label={label}>
      <Children parent={root} path={[]} tree={{ ...options, reachable }} />
    </ul>
  )
}

function Children({ parent, path, tree }: { parent: object; path: JsonPath; tree: Tree }) {
  const count = useSignal(PAGE)
  const all = treeEntries(parent, path)
  const left = all.length - count.value
  const more = JSON.stringify([...path, '…'])
  return (
    <>
      {all.slice(0, count.value).map(([key, value]) => (
        <TreeItem key={key} name={key} value={value} path={[...path, key]} tree={tree} />
      ))}
      {left > 0 && (
        <li role="none">
          <div
            class="leaf more"
            role="treeitem"
            tabIndex={tree.reachable.value === more ? 0 : -1}
            onFocus={() => {
              tree.reachable.value = more
            }}
            onKeyDown={(event) => onTreeKey(event, { pick: () => event.currentTarget.click() })}
            onClick={() => {
              count.value += PAGE
            }}
          >
            {left} more…
          </div>
        </li>
      )}
    </>
  )
}

/** Outputs that most workflows read come first. */
const FIRST = ['body', 'params']
const LAST = ['method', 'query', 'querystring', 'search', 'headers']

function treeEntries(parent: object, path: JsonPath): [string | number, unknown][] {
  if (Array.isArray(parent)) return [...parent.entries()]
  const entries = Object.entries(parent)
  if (path.length > 0) return entries
  const rank = ([key]: [string, unknown]) =>
    FIRST.includes(key) ? FIRST.indexOf(key) - FIRST.length : LAST.indexOf(key) + 1
  return entries.sort((a, b) => rank(a) - rank(b))
}

interface TreeItemProps {
  name: string | number
  value: unknown
  path: JsonPath
  tree: Tree
}

/** A line, which is the tree item, and below it the group of its children. */
function TreeItem({ name, value, path, tree }: TreeItemProps) {
  const id = JSON.stringify(path)
  const branch = isBranch(value) ? value : undefined
  const isOpen = useSignal(branch !== undefined && opensAtFirst(branch, path))
  const wasOpened = useSignal(isOpen.peek())
  const tabIndex = useComputed(() => (tree.reachable.value === id ? 0 : -1))
  const pick = () => tree.pick?.(path, value)
  const open = (next: boolean) => {
    isOpen.value = next
    wasOpened.value ||= next
    // A collapsed child cannot have the focus, so its parent gets it.
    if (!next && tree.reachable.peek().startsWith(`${id.slice(0, -1)},`)) tree.reachable.value = id
  }
  return (
    <li role="none">
      <div
        class={`leaf${branch ? ' branch' : ''}${tree.picked === id ? ' picked' : ''}`}
        role="treeitem"
        tabIndex={tabIndex}
        aria-level={path.length}
        aria-expanded={branch && isOpen.value}
        onClick={() => {
          if (branch) open(!isOpen.value)
          else pick()
        }}
        onKeyDown={(event) => onTreeKey(event, { pick, ...(branch && { open }) })}
        onFocus={() => {
          tree.reachable.value = id
        }}
      >
        {branch && <span class="twisty" aria-hidden="true" />}
        <span class="key">{name}:</span> <Value value={value} />
        {branch && tree.pick && (
          // For the mouse; a keyboard has Enter.
          <span
            class="pick"
            aria-hidden="true"
            onClick={(event) => {
              event.stopPropagation()
              pick()
            }}
          >
            expression
          </span>
        )}
      </div>
      {branch && wasOpened.value && (
        // biome-ignore lint/a11y/useSemanticElements: the group of a tree is no fieldset
        <ul role="group" hidden={!isOpen.value}>
          <Children parent={branch} path={path} tree={tree} />
        </ul>
      )}
    </li>
  )
}

function opensAtFirst(branch: object, path: JsonPath): boolean {
  const isSmall = path.length < OPEN.levels && Object.keys(branch).length <= OPEN.children
  return isSmall && !CLOSED.has(String(path[0]))
}

function Value({ value }: { value: unknown }) {
  if (typeof value === 'object' && value !== null) {
    const size = Object.keys(value).length || ''
    return <span class="value size">{Array.isArray(value) ? `[${size}]` : `{${size}}`}</span>
  }
  const kind = value === null ? 'null' : typeof value
  if (typeof value !== 'string') return <span class={`value ${kind}`}>{String(value)}</span>
  const cut = value.length > SHOWN ? `${value.slice(0, SHOWN)}…` : value
  return <span class="value string">{cut === '' ? '""' : cut}</span>
}

function isBranch(value: unknown): value is object {
  return typeof value === 'object' && value !== null && Object.keys(value).length > 0
}

interface KeyActions {
  pick(): void
  /** There for a branch. */
  open?: (next: boolean) => void
}

/** The keys of a tree, after the ARIA Authoring Practices Guide. */
function onTreeKey(event: TargetedKeyboardEvent<HTMLElement>, { pick, open }: KeyActions): void {
  const item = event.currentTarget
  if (event.ctrlKey || event.metaKey || event.altKey) return
  const isOpen = item.getAttribute('aria-expanded') === 'true'
  const keys: Record<string, () => void> = {
    ArrowDown: () => move(item, 1),
    ArrowUp: () => move(item, -1),
    ArrowRight: () => (open && !isOpen ? open(true) : move(item, 1)),
    ArrowLeft: () => (open && isOpen ? open(false) : parentOf(item)?.focus()),
    Enter: pick,
    ' ': pick,
  }
  const action = Object.hasOwn(keys, event.key) ? keys[event.key] : undefined
  if (!action) return
  event.preventDefault()
  event.stopPropagation()
  action()
}

function parentOf(item: HTMLElement): HTMLElement | undefined {
  const above = item.closest('[role=group]')?.previousElementSibling
  return above instanceof HTMLElement ? above : undefined
}

function move(item: HTMLElement, by: 1 | -1): void {
  const all = item.closest('[role=tree]')?.querySelectorAll<HTMLElement>('[role=treeitem]') ?? []
  const seen = [...all].filter((one) => one.offsetParent !== null)
  seen[seen.indexOf(item) + by]?.focus()
}
