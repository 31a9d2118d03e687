import { useSignal } from '@preact/signals'

type JsonPath = readonly (string | number)[]

interface Tree {
  pick: (path: JsonPath, value: unknown) => void
  /** Path, as JSON, of the value that is picked; empty for none. */
  picked: string
}

/** The number of children that are shown first; a button shows more. */
const PAGE = 100
/** Levels that are open at first, in branches of a few children. */
const OPEN = { levels: 4, children: 12 }
/** Long, and seldom what is looked for. */
const CLOSED = new Set(['headers'])
/** Characters of a text that are shown in its line. */
const SHOWN = 2000

/**
 * A tree of a JSON value. Branches are built when they are opened, so a large payload costs nothing
 * until someone looks. The children of `root` are the first level.
 */
export function Tree({ root, label, ...tree }: Tree & { root: object; label: string }) {
  return (
    <ul class="tree" aria-label={label}>
      <Children parent={root} path={[]} tree={tree} />
    </ul>
  )
}

function Children({ parent, path, tree }: { parent: object; path: JsonPath; tree: Tree }) {
  const count = useSignal(PAGE)
  const all = treeEntries(parent, path)
  const left = all.length - count.value
  return (
    <>
      {all.slice(0, count.value).map(([key, value]) => (
        <Entry key={key} name={key} value={value} path={[...path, key]} tree={tree} />
      ))}
      {left > 0 && (
        <li>
          <button
            type="button"
            class="leaf more"
            onClick={() => {
              count.value += PAGE
            }}
          >
            {left} more…
          </button>
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

interface EntryProps {
  name: string | number
  value: unknown
  path: JsonPath
  tree: Tree
}

function Entry({ name, value, path, tree }: EntryProps) {
  const branch = isBranch(value) ? value : undefined
  const opens = branch !== undefined && opensAtFirst(branch, path)
  const wasOpened = useSignal(opens)
  const kind = tree.picked === JSON.stringify(path) ? 'leaf picked' : 'leaf'
  const pick = () => tree.pick(path, value)
  const line = (
    <>
      <span class="key">{name}:</span> <Value value={value} />
    </>
  )
  if (!branch) {
    return (
      <li>
        <button type="button" class={kind} onClick={pick}>
          {line}
        </button>
      </li>
    )
  }
  return (
    <li>
      <button type="button" class="pick" onClick={pick}>
        expression
      </button>
      <details
        open={opens}
        onToggle={({ currentTarget }) => {
          wasOpened.value ||= currentTarget.open
        }}
      >
        <summary class={`${kind} branch`}>{line}</summary>
        {wasOpened.value && (
          <ul>
            <Children parent={branch} path={path} tree={tree} />
          </ul>
        )}
      </details>
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
