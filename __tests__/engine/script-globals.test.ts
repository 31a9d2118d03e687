import { describe, expect, test } from '@jest/globals'
import { fc } from '../support/properties.ts'
import { resultsOf } from '../support/scripts.ts'

async function run(body: string, items: readonly unknown[]): Promise<unknown[]> {
  return JSON.parse(await resultsOf(body, items))
}

const URLS = [
  'https://user:pass@example.com:8443/a/b%20c?x=1&y=a+b&x=2#top',
  'http://example.com',
  'HTTP://EXAMPLE.com/../a',
  'mailto:a@example.com',
  'https://example.com/?q=%C3%BC&r=%&s',
]

describe('a script reads an address as this process does', () => {
  const PARTS = '["href","origin","host","hostname","port","pathname","search","hash","username"]'

  test('in all its parts', async () => {
    const body = `const url = new URL(item)
return [${PARTS}.map((part) => url[part]), [...url.searchParams], String(url.searchParams)]`
    const parts: (keyof URL)[] = JSON.parse(PARTS)
    const expected = URLS.map((url) => {
      const own = new URL(url)
      return [parts.map((part) => own[part]), [...own.searchParams], String(own.searchParams)]
    })
    expect(await run(body, URLS)).toEqual(expected)
  })

  test('and changes it', async () => {
    const body = `const url = new URL('b?x=1', item)
url.searchParams.set('x', 'a b'); url.searchParams.append('y', 'ü')
url.pathname = '/c'; url.hash = 'd'
return [url, String(url), url.searchParams.get('y'), URL.canParse('nope')]`
    const url = 'https://example.com/c?x=a+b&y=%C3%BC#d'
    expect(await run(body, ['https://example.com/a'])).toEqual([[url, url, 'ü', false]])
  })

  test('and says what is none', async () => {
    const body =
      'try { return new URL(item).href } catch (error) { return error instanceof TypeError }'
    expect(await run(body, ['not one'])).toEqual([true])
  })
})

test('texts are encoded as this process does it', async () => {
  const body = `return [
  [...new TextEncoder().encode(item)],
  new TextDecoder().decode(new TextEncoder().encode(item)),
  atob(btoa(unescape(encodeURIComponent(item)))),
  new URLSearchParams({ q: item }).toString(),
]`
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.string({ unit: 'grapheme' }), { minLength: 20, maxLength: 50 }),
      async (texts) => {
        const expected = texts.map((text) => [
          [...new TextEncoder().encode(text)],
          text,
          Buffer.from(text).toString('latin1'),
          new URLSearchParams({ q: text }).toString(),
        ])
        expect(await run(body, texts)).toEqual(expected)
      },
    ),
    { numRuns: 3 },
  )
})

describe('no object of this process is in reach by them:', () => {
  test.each([
    'new URL("http://a").constructor.constructor("return process")()',
    'URL.constructor("return process")()',
    'btoa.constructor("return process")()',
    '(() => { try { btoa("\u{1F600}") } catch (error) { return error.constructor.constructor("return process")() } })()',
    '(() => { JSON.stringify = (x) => { throw x }; try { new URL("http://a") } catch (x) { return x.constructor.constructor("return process")() } return "fine" })()',
    'typeof urlParts + typeof encodings',
  ])('%s', async (expression) => {
    const outcome = await run(`return ${expression}`, [{}]).catch(() => ['refused'])
    expect(outcome).toEqual([expect.stringMatching(/^(refused|fine|undefinedundefined)$/)])
  })
})
