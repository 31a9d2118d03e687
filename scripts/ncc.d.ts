/** The part of ncc that the build uses; the package itself carries no types. */
declare module '@vercel/ncc' {
  export interface Module {
    readonly resource?: string
    /** The modules that webpack joined into this one. */
    readonly modules?: readonly Module[]
    /** Set for a module that stays outside the bundle. */
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
    /** ES modules, or CommonJS; by the nearest package.json when left out. */
    readonly esm?: boolean
    /** What stays outside: by what imports say, the name that is left in the code. */
    readonly externals?: Readonly<Record<string, string>>
  }

  export default function ncc(entry: string, options: Options): Promise<Built>
}
