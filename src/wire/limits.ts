/** Limits of other services and of Hookline, each with the source of the rule. */
export const LIMITS = {
  /** UTF-8 bytes of the serialized `client_payload`; GitHub: "a maximum of 65,535 characters". */
  clientPayloadBytes: 65_535,
  /** Characters of all inputs of a `workflow_dispatch` together. */
  workflowInputLength: 65_535,
  /**
   * A request body that the relay accepts; about this much JSON, compressed, fits into a payload.
   */
  requestBodyBytes: 256 * 1024,
  /** Characters of a token: far more than any service uses. */
  tokenLength: 4000,
  multipartParts: 1000,
  /** A request body after its `content-encoding` is decoded. */
  decodedBodyBytes: 10 * 1024 * 1024,
  forwardedHeaders: 100,
  /**
   * Levels of arrays and objects: far more than real payloads have, and safe for the engine's
   * stack.
   */
  jsonDepth: 500,
  /**
   * Levels of a field in the outputs: `fromJSON` of a runner reads 64, and `items` has four around a field.
   */
  outputDepth: 60,
  /** `__response_body` after URL decoding. */
  responseBodyBytes: 8 * 1024,
  /** A workflow file; GitHub has the same limit. */
  workflowFileBytes: 1024 * 1024,
  /**
   * Levels of a YAML document, checked before it is composed, because deep nesting can abort the
   * process.
   */
  yamlDepth: 100,
  /** Tokens of a YAML document; collecting this many mistakes takes a second. */
  yamlTokens: 100_000,
  /** Nodes of a YAML document with its aliases replaced; GitHub has the same limit. */
  yamlNodes: 50_000,
  /** Levels of a workflow; GitHub has the same limit. */
  workflowLevels: 50,
  /** The most mistakes shown for one source; GitHub shows ten annotations of a step. */
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
  /** Characters of a batch as JSON, before compression. */
  batchUnpackedLength: 400_000,
  /** Characters that each event of a batch counts for in addition to its own. */
  batchEventOverhead: 500,
  /** Bytes of a batch that the action decompresses. */
  batchBytes: 4 * 1024 * 1024,
} as const
