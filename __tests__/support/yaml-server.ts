import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** The YAML language server of editors, where `.ci/run` installs it; git ignores the folder. */
const SERVER = fileURLToPath(
  new URL(
    '../../.cache/yaml-server/node_modules/yaml-language-server/out/server/src/server.js',
    import.meta.url,
  ),
)

/** Why tests that need the server are skipped; `undefined` if it is installed. */
export const NO_YAML_SERVER = existsSync(SERVER)
  ? undefined
  : 'yaml-language-server is not there: .ci/run installs it'

interface Reply {
  readonly id?: number
  readonly method?: string
  readonly params?: unknown
  readonly result?: unknown
}

/** A problem that an editor shows; line and character count from 0. */
export interface Diagnostic {
  readonly message: string
  readonly range: { readonly start: { readonly line: number } }
}

/** The server as an editor starts it, with one schema for every file. */
export class YamlServer {
  readonly #process: ChildProcess
  readonly #waiting = new Map<number, (result: unknown) => void>()
  readonly #diagnosed = new Map<string, (found: readonly Diagnostic[]) => void>()
  readonly #schema: string
  #sent = 0
  #read = Buffer.alloc(0)

  /** @param schema path of the schema */
  constructor(schema: string) {
    this.#schema = `file://${schema}`
    this.#process = spawn(process.execPath, [SERVER, '--stdio'], {
      stdio: ['pipe', 'pipe', 'ignore'],
    })
    this.#process.stdout?.on('data', (chunk: Buffer) => this.#hear(chunk))
  }

  async start(): Promise<void> {
    await this.#ask('initialize', {
      processId: process.pid,
      rootUri: null,
      capabilities: { workspace: { configuration: true }, textDocument: {} },
    })
    this.#send({ method: 'initialized', params: {} })
    const settings = { yaml: this.#settings() }
    this.#send({ method: 'workspace/didChangeConfiguration', params: { settings } })
  }

  /** Opens a string as a new file, and waits for its problems. */
  open(name: string, text: string): Promise<readonly Diagnostic[]> {
    const uri = `file:///repository/${name}`
    const found = new Promise<readonly Diagnostic[]>((resolve) => this.#diagnosed.set(uri, resolve))
    const textDocument = { uri, languageId: 'yaml', version: 1, text }
    this.#send({ method: 'textDocument/didOpen', params: { textDocument } })
    return found
  }

  /** The completions at a position of an open file. */
  async completions(name: string, line: number, character: number): Promise<string[]> {
    const result = await this.#ask('textDocument/completion', at(name, line, character))
    const items = Array.isArray(result) ? result : ((result as { items?: unknown[] })?.items ?? [])
    return (items as { label: string }[]).map(({ label }) => label)
  }

  /** The hover text at a position of an open file; empty if there is none. */
  async hover(name: string, line: number, character: number): Promise<string> {
    const result = await this.#ask('textDocument/hover', at(name, line, character))
    return (result as { contents?: { value?: string } } | null)?.contents?.value ?? ''
  }

  stop(): void {
    this.#process.kill()
  }

  #settings() {
    return {
      ...{ validate: true, hover: true, completion: true, schemaStore: { enable: false } },
      schemas: { [this.#schema]: '*.yml' },
    }
  }

  #ask(method: string, params: unknown): Promise<unknown> {
    const id = ++this.#sent
    this.#send({ id, method, params })
    return new Promise((resolve) => this.#waiting.set(id, resolve))
  }

  #send(message: object): void {
    const text = JSON.stringify({ jsonrpc: '2.0', ...message })
    this.#process.stdin?.write(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`)
  }

  #hear(chunk: Buffer): void {
    this.#read = Buffer.concat([this.#read, chunk])
    for (;;) {
      const head = /^Content-Length: (\d+)[^\n]*\r\n(?:[^\n]+\r\n)*\r\n/.exec(
        this.#read.toString('latin1'),
      )
      if (!head) return
      const end = head[0].length + Number(head[1])
      if (this.#read.length < end) return
      const message = JSON.parse(this.#read.subarray(head[0].length, end).toString()) as Reply
      this.#read = this.#read.subarray(end)
      this.#take(message)
    }
  }

  #take({ id, method, params, result }: Reply): void {
    if (method === 'textDocument/publishDiagnostics') {
      const { uri, diagnostics } = params as { uri: string; diagnostics: readonly Diagnostic[] }
      this.#diagnosed.get(uri)?.(diagnostics)
      // A request of the server, which waits for a response.
    } else if (id !== undefined && method !== undefined) {
      const asked = (params as { items?: { section: string }[] } | undefined)?.items ?? []
      const given = asked.map(({ section }) => (section === 'yaml' ? this.#settings() : {}))
      this.#send({ id, result: method === 'workspace/configuration' ? given : null })
    } else if (id !== undefined) this.#waiting.get(id)?.(result)
  }
}

function at(name: string, line: number, character: number) {
  return { textDocument: { uri: `file:///repository/${name}` }, position: { line, character } }
}
