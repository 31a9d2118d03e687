/** The action's own step outputs; no field of a trigger can have one of these names. */
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
