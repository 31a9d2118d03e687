import type { JsonObject } from '../wire/json.ts'

/** What a trigger hands on for one event: the `outputs` of its context. */
export type Item = JsonObject
