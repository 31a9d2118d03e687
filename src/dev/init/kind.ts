/** What a first workflow depends on. */
export interface Answers {
  /** Name in `KINDS`. */
  readonly kind: string
  /** Name of the workflow, and of its file without the extension. */
  readonly name: string
  /** `owner/name`; empty where none is known. */
  readonly repository: string
  /** Address of the relay. */
  readonly relay: string
}

/** A file that is to be written. */
export interface NewFile {
  /** From the root of the repository, with forward slashes. */
  readonly path: string
  readonly text: string
}

/** A kind of first workflow. */
export interface Kind {
  readonly name: string
  /** For a person who chooses among the kinds. */
  readonly title: string
  /** Default name of the workflow. */
  readonly workflow: string
  readonly trigger: string
  /** Secret of the repository that it polls with: it has no URL, and needs no relay. */
  readonly secret?: string
  files(answers: Answers): readonly NewFile[]
  /** Makes the native workflows of its files. */
  readonly compile?: string
}
