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
  // biome-ignore lint/style/noDefaultExport: the package has no other export
  export default spec
}
