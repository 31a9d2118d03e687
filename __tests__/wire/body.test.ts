import { describe, expect, test } from '@jest/globals'
import { bodyBytes, gzip, toBase64 } from '../../src/wire/bytes.ts'
import { type Message, notice, warning } from '../../src/wire/messages.ts'
import { type ClientPayload, readClientPayload } from '../../src/wire/payload.ts'
import { readBody } from '../../src/wire/read-body.ts'
import { readWebhookRequest } from '../../src/wire/webhook-request.ts'
import { fc } from '../support/properties.ts'
import { anyCharacter } from '../support/text.ts'

const bytes = (text: string) => new TextEncoder().encode(text)

/** The content of a body, and its faults. */
function read(body: string | Uint8Array, type: string, more: Record<string, string> = {}) {
  const sent = typeof body === 'string' ? bytes(body) : body
  const { faults, binary, ...content } = readBody(sent, { 'content-type': type, ...more })
  const found = content.body === null ? null : JSON.parse(JSON.stringify(content.body))
  return { body: found, binary, faults }
}

const latin1 = (text: string) => Uint8Array.from(text, (character) => character.charCodeAt(0))

const utf16 = (text: string, order: 'le' | 'be', mark = false) => {
  const encoded = Buffer.from((mark ? '\uFEFF' : '') + text, 'utf16le')
  return new Uint8Array(order === 'le' ? encoded : encoded.swap16())
}

const JSON_TYPE = 'application/json'
const NOT_JSON = warning(
  'body-not-json',
  'the body is not JSON, although its content type says so; it stays a string',
)
const NOT_A_LIST = warning(
  'body-not-json',
  'the body is not a list of JSON values, although its content type says so; it stays a string',
)
const JSON_IN_STRING = warning(
  'body-json-in-string',
  'the body is a JSON string that contains JSON: the sender encodes it twice; read it with "fromJSON"',
)
const JSON_AS_FORM = warning(
  'body-json-as-form',
  'the body is JSON sent as a form; set "content-type: application/json" at the sender',
)
const CUT_JSON_AS_FORM = warning(
  'body-not-json',
  'the body begins like JSON, is no JSON, and is sent as a form; it stays a string',
)
const GITHUB_FORM = notice(
  'body-github-form',
  'the body is the field "payload" of a form, GitHub\'s default content type; "application/json" in the settings of the webhook avoids the form',
)
const TOO_DEEP = warning(
  'body-too-deep',
  'the body is JSON that is nested deeper than 500 levels; it stays a string',
)
const BINARY = notice('body-binary', 'the body is not text; it is passed on as base64')
const BINARY_AS_TEXT = warning(
  'body-binary',
  'the body is not text, although its content type says so; it is passed on as base64',
)

const readAs = (charset: string, reason: string) =>
  warning(
    'body-charset',
    `the body is read as ${charset}, because ${reason}; let the sender declare the right charset in "content-type"`,
  )
const WESTERN = readAs('windows-1252', 'it is not valid UTF-8')

const FORM = 'application/x-www-form-urlencoded'
const LINES = 'application/x-ndjson'

describe('a body is read by its content type', () => {
  test.each<[string, string, unknown, Message[]?]>([
    ['', JSON_TYPE, null],
    ['', FORM, null],
    ['', LINES, null],
    ['', 'multipart/form-data; boundary=B', null],
    ['{"a":1}', JSON_TYPE, { a: 1 }],
    ['{"a":1}', 'Application/JSON; charset=UTF-8', { a: 1 }],
    ['{"a":1}', 'application/merge-patch+json', { a: 1 }],
    ['{"a":1}', 'application/json, application/json', { a: 1 }],
    ['{"a":1}', 'text/plain', { a: 1 }],
    ['{"a":1}', '', { a: 1 }],
    ['{"a":1}', 'image/png', { a: 1 }],
    ['\n {"a":1}\n', 'text/plain', { a: 1 }],
    ['\uFEFF\uFEFF{"a":1}', 'text/plain', { a: 1 }],
    ['\uFEFF \uFEFF[1]', JSON_TYPE, [1]],
    ['1', 'text/plain', '1'],
    ['1', JSON_TYPE, 1],
    ['"text"', JSON_TYPE, 'text'],
    ['{', JSON_TYPE, '{', [NOT_JSON]],
    ['{"a":', 'application/cloudevents+json', '{"a":', [NOT_JSON]],
    ['a=1', JSON_TYPE, 'a=1', [NOT_JSON]],
    [' ', JSON_TYPE, ' ', [NOT_JSON]],
    ['{', 'text/plain', '{'],
    ['{"a":1}\n{"a":2}', 'text/plain', '{"a":1}\n{"a":2}'],
    ['"{\\"a\\":1}"', JSON_TYPE, '{"a":1}', [JSON_IN_STRING]],
    ['" [1]"', JSON_TYPE, ' [1]', [JSON_IN_STRING]],
    ['"[1"', JSON_TYPE, '[1'],
    ['"5"', JSON_TYPE, '5'],
    ['\uFEFFtext', 'text/plain', '\uFEFFtext'],
    ['text', '', 'text'],
    ['{"a":1}\n{"a":2}\n', LINES, [{ a: 1 }, { a: 2 }]],
    ['{"a":1}', LINES, [{ a: 1 }]],
    ['\r\n1\r\n\r\n"b"\r\n', 'application/ndjson; charset=utf-8', [1, 'b']],
    ['[1]\n[2]', 'application/jsonl', [[1], [2]]],
    ['\uFEFF{}\n', 'application/x-jsonlines', [{}]],
    ['\n', LINES, []],
    ['{"a":1}\n{"a":', LINES, '{"a":1}\n{"a":', [NOT_A_LIST]],
    ['\x1e{"a":1}\n\x1e{"a":2}\n', 'application/json-seq', [{ a: 1 }, { a: 2 }]],
    ['\x1e{"a":\n1}\n', 'application/geo+json-seq', [{ a: 1 }]],
    ['\x1e{"a":1', 'application/json-seq', '\x1e{"a":1', [NOT_A_LIST]],
  ])('%j as %s', (body, type, expected, faults = []) => {
    expect(read(body, type)).toEqual({ body: expected, binary: false, faults })
  })

  test.each([
    'application/json',
    'text/json',
    'application/x-json',
    'text/x-json',
    'application/problem+json',
    ' application/json ; charset=utf-8',
  ])('a number as %s is JSON', (type) => {
    expect(read('1', type)).toEqual({ body: 1, binary: false, faults: [] })
  })

  test.each([
    'application/jsonx',
    'x-application/json',
    'application/problem+jsonx',
    'image/json',
    'application/ndjsonx',
    'x-application/ndjson',
    'application/json-seqx',
    'x-application/json-seq',
    'application/geo+json-seqx',
  ])('a number as %s is a string', (type) => {
    expect(read('1', type)).toEqual({ body: '1', binary: false, faults: [] })
  })

  test.each([
    'application/ndjson',
    'text/x-ndjson',
    'application/jsonl',
    'application/jsonlines',
    'application/json-lines',
    'application/x-ldjson',
    'application/json-seq',
    'application/geo+json-seq',
  ])('a number as %s is a list', (type) => {
    expect(read('1', type)).toEqual({ body: [1], binary: false, faults: [] })
  })

  test.each([
    'text/csv',
    'application/xml',
    'image/svg+xml',
    'application/yaml',
    'application/openapi+yaml',
    'application/javascript',
    'application/x-javascript',
    'application/ecmascript',
    'application/toml',
    'application/graphql',
    'application/sql',
  ])('bytes that are no UTF-8 are a string as %s', (type) => {
    expect(read(latin1('\xfc'), type)).toEqual({ body: 'ü', binary: false, faults: [WESTERN] })
  })

  test.each<[string, Message[]]>([
    ['image/png', []],
    ['audio/mpeg', []],
    ['video/mp4', []],
    ['font/woff2', []],
    ['x-image/png', [BINARY]],
    ['x-text/plain', [BINARY]],
    ['application/xmlx', [BINARY]],
    ['application/yamlx', [BINARY]],
    ['application/sqlx', [BINARY]],
    ['x-application/sql', [BINARY]],
  ])('bytes that are no UTF-8 are base64 as %s', (type, faults) => {
    expect(read(latin1('\xfc'), type)).toEqual({ body: '/A==', binary: true, faults })
  })

  test('a body that could not be decoded is read only if it is text', () => {
    const headers = { 'content-type': JSON_TYPE, 'content-encoding': 'br' }
    const encoded = (body: Uint8Array) => {
      const { digits: _, ...content } = readBody(body, headers, true)
      return content
    }
    expect(encoded(bytes('[1]'))).toEqual({ body: [1], binary: false, faults: [] })
    expect(encoded(latin1('\xfc'))).toEqual({ body: '/A==', binary: true, faults: [] })
  })

  test('JSON of SNS is called text, and its raw messages are text', () => {
    const sns = { 'x-amz-sns-message-type': 'Notification' }
    expect(read('5', 'text/plain', sns)).toEqual({ body: 5, binary: false, faults: [] })
    expect(read('five', 'text/plain', sns)).toEqual({ body: 'five', binary: false, faults: [] })
  })

  test('JSON of 500 levels is read, and of 501 stays text with a fault under any type', () => {
    const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)
    expect(read(nested(500), 'text/plain').faults).toEqual([])
    for (const type of [JSON_TYPE, 'text/plain', '', FORM]) {
      const expected = { body: nested(501), binary: false, faults: [TOO_DEEP] }
      expect(read(nested(501), type)).toEqual(expected)
    }
  })
})

describe('a urlencoded form', () => {
  test.each<[string, unknown, Message[]?]>([
    ['a=1&a=2', { a: ['1', '2'] }],
    ['a=1+2&b=%2B&c', { a: '1 2', b: '+', c: '' }],
    ['\uFEFFa=1', { a: '1' }],
    ['[0]=a', { '[0]': 'a' }],
    ['a={"b":1}&c=2', { a: '{"b":1}', c: '2' }],
    ['{"action":"opened","q":"a+b=c&d"}', { action: 'opened', q: 'a+b=c&d' }, [JSON_AS_FORM]],
    ['\r\n[{"q":"50%25"}]', [{ q: '50%25' }], [JSON_AS_FORM]],
    ['%7B%22q%22%3A%22a+b%22%7D', { q: 'a+b' }, [JSON_AS_FORM]],
    ['%7b%22q%22:%22%C3%BC%22%7d=', { q: 'ü' }, [JSON_AS_FORM]],
    ['%7B%22q%22%3A%22a+b%22%7D=', { q: 'a b' }, [JSON_AS_FORM]],
    ['{"action":"opened","q":"a b', '{"action":"opened","q":"a b', [CUT_JSON_AS_FORM]],
    ['payload=%7B%22a%22%3A1%7D', { payload: '{"a":1}' }],
    ['%5B1%5D', [1], [JSON_AS_FORM]],
    ['\uFEFF{"a":1}', { a: 1 }, [JSON_AS_FORM]],
    ['{"a":1,"b":"=', '{"a":1,"b":"=', [CUT_JSON_AS_FORM]],
    ['[ {"a":1', '[ {"a":1', [CUT_JSON_AS_FORM]],
    ['["a", ', '["a", ', [CUT_JSON_AS_FORM]],
    ['{ "a', '{ "a', [CUT_JSON_AS_FORM]],
    ['{a}=1', { '{a}': '1' }],
    ['x{"a":1}', { 'x{"a":1}': '' }],
    ['5', { 5: '' }],
  ])('%s', (body, expected, faults = []) => {
    expect(read(body, FORM)).toEqual({ body: expected, binary: false, faults })
  })

  test.each<[string, unknown, Message[]?]>([
    ['payload=%7B%22a%22%3A1%7D', { a: 1 }, [GITHUB_FORM]],
    ['payload=%7B%22a%22%3A1%7D&b=1', { payload: '{"a":1}', b: '1' }],
    ['payload=%5B1%5D', { payload: '[1]' }],
    ['payload=x', { payload: 'x' }],
    ['payload=5', { payload: '5' }],
    ['payload=null', { payload: 'null' }],
    ['payload=%7B%7D&payload=%7B%7D', { payload: ['{}', '{}'] }],
    ['other=%7B%7D', { other: '{}' }],
    ['payload=%7B%22a%22%3A%22%FC%22%7D', { a: 'ü' }, [WESTERN, GITHUB_FORM]],
  ])('%s with x-github-event', (body, expected, faults = []) => {
    const found = read(body, FORM, { 'x-github-event': 'push' })
    expect(found).toEqual({ body: expected, binary: false, faults })
  })

  test.each<[string, string, unknown, Message[]?]>([
    ['name=J%FCrgen', FORM, { name: 'Jürgen' }, [WESTERN]],
    ['name=J%FCrgen', `${FORM}; charset=iso-8859-1`, { name: 'Jürgen' }],
    [
      'name=J%C3%BCrgen',
      `${FORM}; charset="ISO-8859-1"`,
      { name: 'Jürgen' },
      [readAs('UTF-8', 'it is valid UTF-8, although its charset is windows-1252')],
    ],
    ['name=%83n%83%8D%81%5B', `${FORM}; charset=Shift_JIS`, { name: 'ハロー' }],
    [
      'name=J%C3%BCrgen',
      `${FORM}; charset=none-such`,
      { name: 'Jürgen' },
      [readAs('UTF-8', 'its charset is unknown')],
    ],
    ['n=J%FCrgen&charset=windows-1252', FORM, { n: 'Jürgen', charset: 'windows-1252' }],
    ['n=%C6%FC%CB%DC&charset=EUC-JP', FORM, { n: '日本', charset: 'EUC-JP' }],
    [
      'n=%D2%BB&charset=gb2312',
      FORM,
      { n: '一', charset: 'gb2312' },
      [readAs('gbk', 'its charset says so, although it is valid UTF-8, too')],
    ],
    ['n=J%FCrgen&_charset_=iso-8859-1', FORM, { n: 'Jürgen', _charset_: 'iso-8859-1' }],
    ['n=J%C3%BC&charset=blue', FORM, { n: 'Jü', charset: 'blue' }],
    [
      'a=%FC&b=%C3%BC&charsets=%7B%22a%22%3A%22iso-8859-1%22%2C%22b%22%3A%22UTF-8%22%7D',
      FORM,
      { a: 'ü', b: 'ü', charsets: '{"a":"iso-8859-1","b":"UTF-8"}' },
    ],
    ['n=%FC%00', FORM, { n: 'ü\0' }, [readAs('windows-1252', 'it is in no known charset')]],
    ['%00n=%00%FC', FORM, { '\0n': '\0ü' }, [readAs('windows-1252', 'it is in no known charset')]],
    [
      'a=%CF&b=%FC&charsets=%7B%22a%22%3A%22windows-1251%22%2C%22b%22%3A%22blue%22%7D',
      FORM,
      { a: 'П', b: 'ü', charsets: '{"a":"windows-1251","b":"blue"}' },
      [WESTERN],
    ],
    [
      'n=%CF&charset=windows-1251&_charset_=iso-8859-1',
      FORM,
      { n: 'П', charset: 'windows-1251', _charset_: 'iso-8859-1' },
    ],
    [
      'n=%CF&charset=windows-1251',
      `${FORM}; charset=iso-8859-1`,
      { n: 'П', charset: 'windows-1251' },
    ],
  ])('%s as %s', (body, type, expected, faults = []) => {
    expect(read(body, type)).toEqual({ body: expected, binary: false, faults })
  })

  test('with bytes that are not escaped', () => {
    const expected = { body: { n: 'ü' }, binary: false, faults: [WESTERN] }
    expect(read(latin1('n=\xfc'), FORM)).toEqual(expected)
    expect(read(utf16('n=ü', 'le', true), FORM)).toEqual({ ...expected, faults: [] })
    const declared = `${FORM}; charset=utf-16be`
    expect(read(utf16('n=ü', 'be'), declared)).toEqual({ ...expected, faults: [] })
    expect(read(latin1('\xef\xbb\xbfn=\xfc'), FORM)).toEqual(expected)
    expect(read(latin1('&n=\xfc&&'), FORM)).toEqual(expected)
  })

  test.each<['le' | 'be', boolean]>([
    ['le', true],
    ['be', true],
    ['le', false],
    ['be', false],
  ])('JSON in UTF-16%s under the type of a form, with a mark: %s', (order, mark) => {
    const found = read(utf16('{"a":"ü"}', order, mark), FORM)
    expect(found).toEqual({ body: { a: 'ü' }, binary: false, faults: [JSON_AS_FORM] })
  })

  test('JSON in ISO-8859-1 under the type of a form', () => {
    const found = read(latin1('{"name":"J\xfcrgen"}'), FORM)
    const faults = [WESTERN, JSON_AS_FORM]
    expect(found).toEqual({ body: { name: 'Jürgen' }, binary: false, faults })
  })
})

describe('the charset of a body', () => {
  const text = '{"a":"Jürgen 日本"}'
  const value = { a: 'Jürgen 日本' }
  test.each<[string, Uint8Array, string, unknown, Message[]?]>([
    ['UTF-8', bytes(text), JSON_TYPE, value],
    ['UTF-8 with a mark', bytes(`\uFEFF${text}`), JSON_TYPE, value],
    ['UTF-16LE with a mark', utf16(text, 'le', true), JSON_TYPE, value],
    ['UTF-16BE with a mark', utf16(text, 'be', true), JSON_TYPE, value],
    ['UTF-16LE with a mark, no type', utf16(text, 'le', true), '', value],
    [
      'UTF-16LE with a mark and another charset',
      utf16(text, 'le', true),
      `${JSON_TYPE}; charset=utf-8`,
      value,
    ],
    ['UTF-16LE, declared', utf16(text, 'le'), `${JSON_TYPE}; charset=utf-16le`, value],
    ['UTF-16BE, declared', utf16(text, 'be'), `${JSON_TYPE}; charset="UTF-16BE"`, value],
    ['UTF-16LE, declared without order', utf16(text, 'le'), `${JSON_TYPE}; charset=utf-16`, value],
    ['UTF-16BE, declared without order', utf16(text, 'be'), `${JSON_TYPE}; charset=utf-16`, value],
    [
      'UTF-16BE, declared as LE',
      utf16(text, 'be'),
      `${JSON_TYPE}; charset=utf-16le`,
      value,
      [readAs('UTF-16BE', 'its charset is utf-16le')],
    ],
    ['UTF-16LE, not declared', utf16(text, 'le'), JSON_TYPE, value],
    ['UTF-16BE, not declared', utf16(text, 'be'), JSON_TYPE, value],
    ['UTF-16LE, no type', utf16(text, 'le'), '', value],
    ['UTF-16LE text', utf16('Grüße, Welt', 'le'), 'text/plain', 'Grüße, Welt'],
    ['5 MB of UTF-16LE text', utf16('Grüße'.repeat(5e5), 'le'), 'text/plain', 'Grüße'.repeat(5e5)],
    ['UTF-16BE XML', utf16('<a>ü</a>', 'be'), 'application/xml', '<a>ü</a>'],
    [
      'UTF-8, declared as UTF-16',
      bytes(text),
      `${JSON_TYPE}; charset=utf-16`,
      value,
      [readAs('UTF-8', 'it is not valid utf-16le, although its charset says so')],
    ],
    [
      'UTF-8 text, declared as UTF-16',
      bytes('Greetings, world!'),
      'text/plain; charset=utf-16',
      'Greetings, world!',
      [readAs('UTF-8', 'it is not valid utf-16le, although its charset says so')],
    ],
    [
      'UTF-8, declared as ISO-8859-1',
      bytes(text),
      `${JSON_TYPE}; charset=iso-8859-1`,
      value,
      [readAs('UTF-8', 'it is valid UTF-8, although its charset is windows-1252')],
    ],
    [
      'UTF-8, declared as KOI8-R',
      bytes('日本'),
      'text/plain; charset=koi8-r',
      '日本',
      [readAs('UTF-8', 'it is valid UTF-8, although its charset is koi8-r')],
    ],
    [
      'ASCII, declared as ISO-8859-1',
      bytes('{"a":1}'),
      `${JSON_TYPE}; charset=iso-8859-1`,
      { a: 1 },
    ],
    [
      'an unknown charset',
      bytes('{"a":1}'),
      `${JSON_TYPE}; charset=utf-7`,
      { a: 1 },
      [readAs('UTF-8', 'its charset is unknown')],
    ],
    ['ISO-8859-1, declared', latin1('{"a":"\xfc"}'), `${JSON_TYPE};charset=latin1`, { a: 'ü' }],
    ['ISO-8859-1, in single quotes', latin1('\xfc'), "text/plain; charset='iso-8859-1'", 'ü'],
    ['windows-1252, declared', latin1('\x80'), 'text/plain; charset=windows-1252', '€'],
    ['windows-1251, declared', latin1('\xcf\xf0\xe8'), 'text/plain; charset=windows-1251', 'При'],
    ['ISO-8859-1 JSON', latin1('{"a":"\xfc"}'), JSON_TYPE, { a: 'ü' }, [WESTERN]],
    ['ISO-8859-1 JSON lines', latin1('{"a":"\xfc"}'), LINES, [{ a: 'ü' }], [WESTERN]],
    [
      'ISO-8859-1, declared as UTF-8',
      latin1('\xfc'),
      'text/plain; charset=utf-8',
      'ü',
      [readAs('windows-1252', 'it is not valid utf-8, although its charset says so')],
    ],
    ['windows-1252 text', latin1('\x93a\x94'), 'text/html', '“a”', [WESTERN]],
    ['ISO-8859-1 XML', latin1('<a>\xfc</a>'), 'application/soap+xml', '<a>ü</a>', [WESTERN]],
    ['Shift_JIS', latin1('\x93\xfa\x96{'), 'text/plain; charset=shift_jis', '日本'],
    ['EUC-JP', latin1('\xc6\xfc\xcb\xdc'), 'text/plain; charset=euc-jp', '日本'],
    [
      'UTF-8, declared as EUC-JP',
      bytes('日本!'),
      'text/plain; charset=euc-jp',
      '日本!',
      [readAs('UTF-8', 'it is valid UTF-8, although its charset is euc-jp')],
    ],
    ['ISO-2022-JP', latin1('\x1b$BF|K\\\x1b(B'), 'text/plain; charset=iso-2022-jp', '日本'],
    ['GBK', latin1('\xc4\xe3\xba\xc3'), 'text/plain; charset=gb2312', '你好'],
    [
      'GBK that is valid UTF-8, too',
      latin1('\xd2\xbb'),
      'text/plain; charset=gbk',
      '一',
      [readAs('gbk', 'its charset says so, although it is valid UTF-8, too')],
    ],
    [
      'UTF-8 that is valid Shift_JIS, too',
      bytes('日本語'),
      'text/plain; charset=shift_jis',
      '日本語',
      [readAs('UTF-8', 'it is valid UTF-8, although its charset is shift_jis')],
    ],
    ['Big5', latin1('\xa7A\xa6n'), 'text/plain; charset=big5', '你好'],
    ['EUC-KR', latin1('\xb0\xa1'), 'text/plain; charset=ks_c_5601-1987', '가'],
    [
      'bytes that EUC-KR does not have',
      latin1('\xb0\xa1\xff'),
      'text/plain; charset=euc-kr',
      '°¡ÿ',
      [readAs('windows-1252', 'it is not valid euc-kr, although its charset says so')],
    ],
    [
      'bytes that windows-1253 does not have',
      latin1('a\xd2'),
      'text/plain; charset=windows-1253',
      'aÒ',
      [readAs('windows-1252', 'it is not valid windows-1253, although its charset says so')],
    ],
    [
      'UTF-8 that is not valid Big5',
      bytes('À'),
      'text/plain; charset=big5',
      'À',
      [readAs('UTF-8', 'it is valid UTF-8, although its charset is big5')],
    ],
    [
      'GBK with a character for private use',
      latin1('\xaa\xa1'),
      'text/plain; charset=gbk',
      '\ue000',
    ],
    ['no type, with a charset', latin1('\xfc'), '; charset=iso-8859-1', 'ü'],
    [
      'a mark of UTF-8, and another charset',
      bytes('\uFEFFü'),
      'text/plain; charset=iso-8859-1',
      '\uFEFFü',
    ],
    ['a mark of UTF-8 alone', latin1('\xef\xbb\xbf\xff'), 'text/plain', 'ï»¿ÿ', [WESTERN]],
    ['the first byte of a mark', latin1('\xffabc'), 'text/plain', 'ÿabc', [WESTERN]],
    ['the second byte of a mark', latin1('a\xfebc'), 'text/plain', 'aþbc', [WESTERN]],
    ['the first byte of another mark', latin1('\xfeabc'), 'text/plain', 'þabc', [WESTERN]],
    ['the second byte of another mark', latin1('a\xffbc'), 'text/plain', 'aÿbc', [WESTERN]],
    ['a mark of UTF-16 alone', latin1('\xff\xfe'), '', ''],
    [
      'UTF-16LE, declared as BE',
      utf16(text, 'le'),
      `${JSON_TYPE}; charset=utf-16be`,
      value,
      [readAs('UTF-16LE', 'its charset is utf-16be')],
    ],
    [
      'a JSON sequence in UTF-16',
      utf16('\x1e{"a":"ü"}', 'le'),
      'application/json-seq',
      [{ a: 'ü' }],
    ],
    ['UTF-16 with a control character', utf16('ab\x01c', 'le'), 'text/plain', 'a\0b\0\x01\0c\0'],
    ['UTF-16 with a NUL byte in every tenth', utf16('a日本語字', 'le'), 'text/plain', 'a日本語字'],
    ['UTF-16 without a NUL byte', utf16('日本語', 'be'), 'text/plain; charset=utf-16be', '日本語'],
    ['4 bytes, declared as UTF-16', bytes('abcd'), 'text/plain; charset=utf-16', '扡摣'],
    ...(
      [
        ['3 bytes', 'abc'],
        ['6 bytes', 'abcdef'],
        ['3 of 4 bytes in ASCII', 'abcdefü'],
        ['16 bytes of other letters', 'üüüüüüüü'],
      ] as const
    ).map(([name, sent]): [string, Uint8Array, string, unknown, Message[]] => [
      `${name} of UTF-8, declared as UTF-16`,
      bytes(sent),
      'text/plain; charset=utf-16',
      sent,
      [readAs('UTF-8', 'it is not valid utf-16le, although its charset says so')],
    ]),
    ['less ASCII, declared as UTF-16', bytes('abcdüü'), 'text/plain; charset=utf-16', '扡摣볃볃'],
    [
      '14 bytes of other letters, declared as UTF-16',
      bytes('üüüüüüü'),
      'text/plain; charset=utf-16',
      '볃'.repeat(7),
    ],
  ])('%s', (_, body, type, expected, faults = []) => {
    expect(read(body, type)).toEqual({ body: expected, binary: false, faults })
  })

  test.each<[string, Uint8Array, string, Message[]]>([
    ['no type', Uint8Array.of(0xff, 0xfe, 0x80), '', [BINARY]],
    [
      'application/octet-stream',
      Uint8Array.of(0x89, 0x50, 0),
      'application/octet-stream',
      [BINARY],
    ],
    ['an image', Uint8Array.of(0x89, 0x50, 0), 'image/png', []],
    ['text', Uint8Array.of(0x89, 0x50, 0), 'text/plain', [BINARY_AS_TEXT]],
    ['JSON', Uint8Array.of(0x1f, 0x8b, 8), JSON_TYPE, [BINARY_AS_TEXT]],
    ['an image, in UTF-16', utf16('Grüße', 'le'), 'image/png', []],
    ['an image, with a mark of UTF-16', utf16('Grüße', 'le', true), 'image/png', []],
    ['no type, in UTF-16 that does not begin with ASCII', utf16('日本', 'le', true), '', [BINARY]],
    [
      'text, in UTF-16 that does not begin with ASCII',
      utf16('日本 a', 'le'),
      'text/plain',
      [BINARY_AS_TEXT],
    ],
    [
      'text, with a NUL byte in every twelfth',
      utf16('a日本語字文', 'le'),
      'text/plain',
      [BINARY_AS_TEXT],
    ],
    [
      'text, with a mark and a control character',
      utf16('a\x01', 'le', true),
      'text/plain',
      [BINARY_AS_TEXT],
    ],
    [
      'text, with a mark and half a character',
      Uint8Array.of(0xff, 0xfe, 0, 0xd8),
      'text/plain',
      [BINARY_AS_TEXT],
    ],
  ])('bytes that are no text, as %s', (_, body, type, faults) => {
    const base64 = Buffer.from(body).toString('base64')
    expect(read(body, type)).toEqual({ body: base64, binary: true, faults })
  })
})

test('the digits of numbers are remembered that a runner prints otherwise', () => {
  const text = '{"a":-1e-7,"b":1e-7,"c":1234567890123.4567,"d":25.0,"e":1.50,"f":"1e-9","g":1e21}'
  const { body, digits } = readBody(bytes(text), { 'content-type': JSON_TYPE })
  expect({ ...(body as object) }).toMatchObject({ a: -1e-7, d: 25, g: 1e21 })
  expect([...digits.values()]).toEqual(['-1e-7', '1e-7', '1234567890123.4567', '1e21'])
})

test.each(['[0.00001,1e-5]', '[1e-5,0.00001]', '[1E-5,1e-5,0.00001]'])(
  'a number in several forms has the digits of its value: %s',
  (text) => {
    const { digits } = readBody(bytes(text), { 'content-type': JSON_TYPE })
    expect([...digits.values()]).toEqual(['0.00001'])
  },
)

const types = fc.oneof(
  fc.constantFrom(
    JSON_TYPE,
    FORM,
    LINES,
    'application/json-seq',
    'text/plain',
    'multipart/form-data; boundary=B',
    'multipart/form-data',
    'image/png',
    '',
  ),
  fc.string({ unit: anyCharacter }),
)

const charsets = fc.constantFrom(
  '',
  '; charset=utf-8',
  '; charset=utf-16',
  '; charset=shift_jis',
  '; charset=latin1',
  '; charset="',
)

test('any bytes under any content type are read, and the result is JSON', () => {
  const piece = fc.oneof(
    fc.uint8Array({ maxLength: 20 }),
    fc
      .constantFrom('--B\r\n', '--B--', '\r\n\r\n', '{"a":', '}', '%7B', '=', '&', '\uFEFF')
      .map(bytes),
    fc.constant(bytes('content-disposition: form-data; name="a"; filename*=x\'\'%\r\n')),
    fc.constant(bytes('content-transfer-encoding: base64\r\n')),
  )
  const body = fc.array(piece, { maxLength: 12 }).map((all) => Buffer.concat(all))
  fc.assert(
    fc.property(body, types, charsets, (sent, type, charset) => {
      const headers = { 'content-type': type + charset, 'x-github-event': 'push' }
      const content = readBody(new Uint8Array(sent), headers)
      expect(JSON.parse(JSON.stringify(content.body)) !== undefined).toBe(true)
    }),
    { numRuns: 1000 },
  )
})

test('any bytes come back from the way they travelled', async () => {
  const property = fc.asyncProperty(fc.uint8Array({ maxLength: 3000 }), async (array) => {
    const sent = Uint8Array.from(array)
    expect(await bodyBytes(toBase64(sent), 'base64')).toEqual(sent)
    expect(await bodyBytes(toBase64(await gzip(sent)), 'gzip')).toEqual(sent)
  })
  await fc.assert(property, { numRuns: 30 })
})

test('any text comes back as its bytes', async () => {
  const property = fc.asyncProperty(fc.string({ unit: anyCharacter }), async (text) => {
    const payload: ClientPayload = { path: '', method: 'POST', headers: {}, body: text }
    expect((await readWebhookRequest(payload)).bytes).toEqual(bytes(text))
  })
  await fc.assert(property, { numRuns: 60 })
})

test.each([
  [{ path: 'a' }, { path: 'a', method: 'GET', headers: {}, body: null }],
  [
    { path: 'a', body: '' },
    { path: 'a', method: 'GET', headers: {}, body: '' },
  ],
  [
    { path: 'a', body: 0 },
    { path: 'a', method: 'POST', headers: {}, body: 0 },
  ],
  [
    { path: 'a', body: false },
    { path: 'a', method: 'POST', headers: {}, body: false },
  ],
  [
    { path: 'a', headers: { A: null, B: true } },
    { path: 'a', method: 'GET', headers: { a: 'null', b: 'true' }, body: null },
  ],
])('a client_payload %j, with what it leaves out', (sent, read) => {
  const { path, method, headers, body } = readClientPayload(sent)
  expect({ path, method, headers: { ...headers }, body }).toEqual(read)
})
