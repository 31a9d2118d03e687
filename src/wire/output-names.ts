/** The outputs of the step that are the action's own: no field of a trigger takes the name of one. */
export const RESERVED_OUTPUTS = [
  'triggered',
  'trigger',
  'workflow',
  'count',
  'on',
  'items',
  'delivery',
  'received-at',
  'deliveries',
  'failed',
] as const

export type ReservedOutput = (typeof RESERVED_OUTPUTS)[number]
