import { createHash, createHmac, randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createContext, runInContext } from 'node:vm'

const SCRIPT = readFileSync(new URL('../../docs/senders/google-form.gs', import.meta.url), 'utf8')

/** One call of UrlFetchApp.fetch. */
export interface Fetched {
  readonly url: string
  readonly method: string
  readonly contentType: string
  readonly headers: Readonly<Record<string, string>>
  readonly payload: string
}

/** Runs the script of a form against stand-ins for Google's documented services. */
export class AppsScript {
  readonly properties = new Map<string, string>()
  readonly installed: string[] = []
  readonly log: string[] = []
  readonly fetched: Fetched[] = []
  readonly slept: number[] = []
  /** The webhook's status for each call; 200 after the last. */
  statuses: number[] = []
  readonly #context = createContext(this.#services())

  constructor() {
    runInContext(SCRIPT, this.#context)
  }

  run(name: 'setUp' | 'postResponse', event?: unknown): void {
    Object.assign(this.#context, { event })
    runInContext(`${name}(event)`, this.#context)
  }

  #services() {
    return {
      Logger: { log: (format: string, ...values: string[]) => this.log.push(format, ...values) },
      PropertiesService: {
        getScriptProperties: () => ({
          getProperty: (name: string) => this.properties.get(name) ?? null,
          setProperty: (name: string, value: string) => this.properties.set(name, value),
        }),
      },
      ScriptApp: this.#triggers(),
      FormApp: { getActiveForm: () => ({}) },
      UrlFetchApp: {
        fetch: (url: string, request: Omit<Fetched, 'url'>) => {
          this.fetched.push({ url, ...request })
          const status = this.statuses.shift() ?? 200
          return { getResponseCode: () => status }
        },
      },
      Utilities: { ...UTILITIES, sleep: (duration: number) => this.slept.push(duration) },
    }
  }

  #triggers() {
    return {
      getProjectTriggers: () => this.installed.map((name) => ({ getHandlerFunction: () => name })),
      newTrigger: (name: string) => ({
        forForm: () => ({ onFormSubmit: () => ({ create: () => this.installed.push(name) }) }),
      }),
    }
  }
}

/** Apps Script counts bytes from -128 to 127. */
const UTILITIES = {
  DigestAlgorithm: { SHA_256: 'sha256' },
  getUuid: () => randomUUID(),
  computeDigest: (algorithm: string, text: string) =>
    signed(createHash(algorithm).update(text).digest()),
  computeHmacSha256Signature: (value: number[], key: number[]) =>
    signed(createHmac('sha256', Buffer.from(key)).update(Buffer.from(value)).digest()),
  base64Encode: (bytes: number[]) => Buffer.from(bytes).toString('base64'),
  base64Decode: (text: string) => signed(Buffer.from(text, 'base64')),
  newBlob: (text: string) => ({ getBytes: () => signed(Buffer.from(text)) }),
}

function signed(bytes: Buffer): number[] {
  return [...new Int8Array(bytes)]
}

/** An onFormSubmit event: https://developers.google.com/apps-script/guides/triggers/events */
export function submission(answers: readonly (readonly [title: string, type: string, unknown])[]) {
  const items = answers.map(([title, type], index) => ({
    getId: () => 440_714_388 + index,
    getTitle: () => title,
    getType: () => ({ toString: () => type }),
    getIndex: () => index,
  }))
  return {
    source: {
      getId: () => '118EoaS7eK2qvWv8tQy3xLKa',
      getTitle: () => 'Feedback',
      getItems: () => items,
    },
    response: {
      getId: () => '2_ABaOnud0S_zjpIn9oGqBpmY65p',
      getRespondentEmail: () => 'ada@example.com',
      getTimestamp: () => new Date('2026-11-21T07:54:30.661Z'),
      getItemResponses: () =>
        answers.map(([, , answer], index) => ({
          getResponse: () => answer,
          getItem: () => items[index],
        })),
    },
  }
}
