// What the programs that scripts call do with the text that they get.

/** Commands that print what stands in a file. */
export const READERS = words(
  'awk base64 cat cut dd grep head jq od python python3 rev sed sort tac tail tr uniq xxd yq node',
)

/** Commands that write into a file that they are told by name, and those that copy one into it. */
export const WRITERS = words('curl dd ed ex patch sed sponge tee wget')
export const COPIERS = words('cp dd install ln mv rsync scp')

/** Programs that read variables, and open files, by names in a text of another language. */
export const INTERPRETERS = words(
  `awk bash bun bunx dash deno eval gawk jq ksh lua mawk node npx perl php pnpm powershell pwsh python
  ruby sh trap tsx uv uvx yq zsh`,
)

/** Commands that print every variable when they are told none. */
export const PRINTERS = words('declare env export printenv set typeset')

/** Commands that print a number or a digest of what they read. */
export const DIGESTS = words(
  'cksum md5sum sha1sum sha224sum sha256sum sha384sum sha512sum shasum wc',
)

function words(text: string): ReadonlySet<string> {
  return new Set(text.split(/\s+/))
}

/** Of `tr`: letters, digits and what is plain; a range of other ends, as A-z, holds quotes. */
export const PLAIN_SET =
  /^(?:a-z|A-Z|0-9|\[:(?:alnum|alpha|digit|lower|upper):\]|[\w .:](?!-.))+-?$/

/** Whether a program is one of these, in whatever version: `python3.12`. */
export function isOneOf(programs: ReadonlySet<string>, name: string): boolean {
  return programs.has(name) || programs.has(name.replace(/[\d.]+$/, ''))
}
