/**
 * Bounds of a job summary. GitHub shows at most 1 MiB of a step and drops a larger one whole. A
 * character takes five bytes when it is escaped, so these stay below in the worst case.
 *
 * Source: https://docs.github.com/actions/reference/workflow-commands-for-github-actions
 */
export const SUMMARY = {
  /** Rows of items, those of all triggers together. */
  items: 20,
  columns: 6,
  /** Characters of a value in such a row. */
  value: 160,
  /** Names of fields that have no column. */
  names: 40,
  /** Characters of a name. */
  name: 80,
  decisions: 40,
  checks: 10,
  /** Characters of what a check found. */
  found: 200,
  /** Warnings, and notices. */
  notes: 10,
  /** Characters of why a trigger did not fire, or of what became of its items. */
  why: 500,
  /** Characters of a paragraph. */
  text: 2000,
} as const
