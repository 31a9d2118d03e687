import * as v from 'valibot'

/** `every`: a number of minutes, or a cron expression. */
export type Every =
  | { readonly minutes: number; readonly cron?: never }
  | { readonly cron: string; readonly minutes?: never }

const FIELD = /^[\d*/,a-z-]+$/i

/** Digits in a text, as a variable of the repository brings them, are minutes too. */
export const every = v.pipe(
  v.lazy((input) => (typeof input === 'string' ? v.string() : v.number())),
  v.rawTransform<string | number, Every>(({ dataset, addIssue, NEVER }) => {
    const { value } = dataset
    const minutes = typeof value === 'number' || /^\d+$/.test(value) ? Number(value) : undefined
    if (minutes !== undefined && minutes >= 0) return { minutes }
    const cron = String(value).trim()
    if (minutes === undefined && isCronShape(cron)) return { cron }
    addIssue({ message: 'is neither a number of minutes nor a cron expression of five fields' })
    return NEVER
  }),
)

/** Whether it looks like cron; the values of its fields are checked when it is used. */
function isCronShape(text: string): boolean {
  const fields = text.split(/\s+/)
  return fields.length === 5 && fields.every((field) => FIELD.test(field))
}
