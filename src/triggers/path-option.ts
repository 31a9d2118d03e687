import * as v from 'valibot'
import { type DataPath, parseDataPath, pathMistake } from '../wire/data-path.ts'

/** Schema of a path into data, as a string. */
export const pathText = v.pipe(
  v.string(),
  v.nonEmpty('is empty'),
  v.check(
    // An empty path has its message above.
    (path) => path === '' || pathMistake(path) === undefined,
    ({ input }) => pathMistake(input) ?? '',
  ),
)

/** Schema of a path to a key, such as `data.id`. */
export const keyPath = v.pipe(
  pathText,
  v.transform((path): DataPath => parseDataPath(path)),
)
