/** Limits of the platforms, and our own, each with the source of the rule. */
export const LIMITS = {
  /** UTF-8 bytes of the serialised `client_payload`; GitHub: "a maximum of 65,535 characters". */
  clientPayloadBytes: 65_535,
  /** Characters of all inputs of a `workflow_dispatch` together. */
  workflowInputLength: 65_535,
  /** A request body as the relay accepts it; gzipped, about this much JSON fits into a payload. */
  requestBodyBytes: 256 * 1024,
  /** Characters of a token: many times those of any platform, and as many as a grant may have. */
  tokenLength: 4000,
  /** A request body after its `content-encoding` is decoded. */
  decodedBodyBytes: 10 * 1024 * 1024,
  /** Forwarded headers of one request. */
  forwardedHeaders: 100,
  /** Levels of arrays and objects: far beyond real payloads, far below the engine's stack. */
  jsonDepth: 500,
  /** `__response_body` after URL decoding. */
  responseBodyBytes: 8 * 1024,
  /** A workflow file; GitHub's own limit for one. */
  workflowFileBytes: 1024 * 1024,
  /** Levels of a YAML document, checked before it is composed: deep nesting can abort the process. */
  yamlDepth: 100,
  /** Words, signs and spaces of a YAML document: so many mistakes take a second to collect. */
  yamlTokens: 100_000,
  /** Aliases a YAML document may resolve, against "billion laughs". */
  yamlAliases: 100,
  /** Mistakes shown of one source; GitHub keeps ten annotations of a step. */
  problems: 20,
  /** Characters of a path pattern. */
  patternLength: 512,
  /** `:name` and `*name` parts of a path pattern. */
  patternParameters: 8,
  /** `{optional}` parts of a path pattern: each doubles the alternatives it expands to. */
  patternGroups: 8,
  /** UTF-16 units of the output `items`; GitHub allows a job 1 MB of outputs, counted in UTF-16. */
  itemsUnits: 450_000,
  /** UTF-16 units of all outputs of a job: GitHub's 1 MB. */
  jobOutputsUnits: 524_288,
  /** Elements of `items`: GitHub's limit of jobs in one matrix. */
  matrixJobs: 256,
  /** Events of a batch: one matrix takes all of them. */
  batchEvents: 256,
  /** Characters of a batch before it is packed, as JSON. */
  batchUnpackedLength: 400_000,
  /** What an event of a batch counts for, besides its own characters. */
  batchEventOverhead: 500,
  /** Bytes to which the action unpacks a batch. */
  batchBytes: 4 * 1024 * 1024,
} as const
