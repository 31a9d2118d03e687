import * as v from 'valibot'

/** How items are handed on, and what a failure does. */
export const outputOptions = {
  outputsMode: v.pipe(
    v.optional(v.picklist(['separate', 'combine'], 'outputs mode'), 'separate'),
    v.title('`separate` or `combine`'),
    v.description(
      '`combine`: one context for all items of a run, whose `outputs` is the list of them; there are no field outputs then.',
    ),
  ),
  exportOutputs: v.pipe(
    v.optional(v.boolean(), false),
    v.title('boolean'),
    v.description(
      '`true`: `outputs` is `{path}`, and the JSON lies in that file, for later steps of the same job.',
    ),
  ),
  outputsDir: v.pipe(
    v.optional(v.pipe(v.string(), v.nonEmpty('is empty')), 'outputs'),
    v.title('folder'),
    v.description('Where `exportOutputs` writes, from the working copy.'),
  ),
  skipOnError: v.pipe(
    v.optional(v.boolean(), false),
    v.title('boolean'),
    v.description('`true`: a trigger that fails is a warning, and counts as skipped.'),
  ),
  buildOutputsOnError: v.pipe(
    v.optional(v.boolean(), false),
    v.title('boolean'),
    v.description(
      '`true`: a trigger that fails gives one item with `outcome: failure`, `conclusion: success` and `outputs: {}`, so that jobs can act on it.',
    ),
  ),
}
