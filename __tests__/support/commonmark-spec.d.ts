// The package has no types.
declare module 'commonmark-spec' {
  const spec: {
    readonly tests: readonly {
      /** `→` is a tab. */
      readonly markdown: string
      readonly section: string
      readonly number: number
    }[]
  }
  export default spec
}
