/** The parts of ncc that the build uses; the package has no types. */
declare module '@vercel/ncc' {
  export interface Module {
    readonly resource?: string
    /** The modules that webpack joined into this one. */
    readonly modules?: readonly Module[]
    /** Set for a module that is not part of the bundle. */
    readonly externalType?: string
    readonly userRequest?: string
  }

  export interface Compilation {
    readonly modules: Iterable<Module>
  }

  export interface Built {
    readonly code: string
    readonly assets: Record<string, { readonly source: string | Buffer }>
    readonly stats: { readonly compilation: Compilation }
  }

  interface Options {
    readonly cache: boolean
    readonly quiet: boolean
    readonly minify?: boolean
    /** ES modules or CommonJS; by the nearest package.json if absent. */
    readonly esm?: boolean
    /** Modules that are not bundled: the name in the source, and the name in the bundle. */
    readonly externals?: Readonly<Record<string, string>>
  }

  export default function ncc(entry: string, options: Options): Promise<Built>
}
