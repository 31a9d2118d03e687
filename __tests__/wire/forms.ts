/** A `multipart/form-data` request as one sender writes it. */
export interface Form {
  readonly sender: string
  readonly contentType: string
  readonly body: Uint8Array
  readonly expected: unknown
  /** The texts of its faults. */
  readonly faults?: readonly string[]
}

const CRLF = '\r\n'
const DISPOSITION = 'Content-Disposition: form-data'

/** A character up to U+00FF is one byte; any other is written as UTF-8. */
function bytes(text: string): Uint8Array {
  return Buffer.concat(
    [...text].map((one) =>
      one.charCodeAt(0) < 0x100 ? Buffer.from(one, 'latin1') : Buffer.from(one),
    ),
  )
}

const utf8 = (text: string) => Buffer.from(text).toString('latin1')

interface Lines {
  readonly boundary?: string
  /** The parameter as the content type has it. */
  readonly declared?: string
  readonly line?: string
  /** The text before the first boundary. */
  readonly first?: string
  /** The text behind the last part; by default its boundary. */
  readonly last?: string
}

/** @param parts each as its header lines, an empty string, and its content */
function form(
  sender: string,
  parts: readonly (readonly string[])[],
  expected: unknown,
  {
    boundary = 'B',
    declared = boundary,
    line = CRLF,
    first = '',
    last,
    faults,
  }: Lines & Pick<Form, 'faults'> = {},
): Form {
  const written = parts.map((lines) => `--${boundary}${line}${lines.join(line)}`).join(line)
  return {
    sender,
    contentType:
      declared === '' ? 'multipart/form-data' : `multipart/form-data; boundary=${declared}`,
    body: bytes(first + written + (last ?? `${line}--${boundary}--${line}`)),
    expected,
    ...(faults && { faults }),
  }
}

const file = (filename: string, type: string, content: string) => ({
  filename,
  type,
  size: Buffer.from(content, 'latin1').length,
  content: Buffer.from(content, 'latin1').toString('base64'),
})

const NO_FORM =
  'the body is not multipart/form-data, although its content type says so; it stays a string'
const OTHER_BOUNDARY = 'the multipart form has another boundary than it declares'
const NO_BOUNDARY = 'the multipart form declares no boundary'
const NO_END = 'the multipart form ends without its last boundary, so it may be incomplete'

export const FORMS: readonly Form[] = [
  form(
    'curl 8: -F a=1 -F f=@notes.txt',
    [
      [`${DISPOSITION}; name="a"`, '', '1'],
      [`${DISPOSITION}; name="f"; filename="notes.txt"`, 'Content-Type: text/plain', '', `hi\n`],
    ],
    { a: '1', f: file('notes.txt', 'text/plain', 'hi\n') },
    { boundary: '------------------------d74496d66958873e' },
  ),
  form(
    'curl before 7.81: a quote in a file name is escaped by a backslash',
    [[`${DISPOSITION}; name="f"; filename="a\\"b\\\\c.txt"`, 'Content-Type: text/plain', '', 'x']],
    { f: file('a"b\\c.txt', 'text/plain', 'x') },
    { boundary: '------------------------52f8d6f1' },
  ),
  form(
    'curl from 7.81 on: a quote in a file name is percent-encoded',
    [[`${DISPOSITION}; name="f"; filename="a%22b.txt"`, 'Content-Type: text/plain', '', 'x']],
    { f: file('a"b.txt', 'text/plain', 'x') },
  ),
  form(
    'curl: -F "a=1;type=application/json"',
    [[`${DISPOSITION}; name="a"`, 'Content-Type: application/json', '', '{"b":1}']],
    { a: '{"b":1}' },
  ),
  form(
    'curl: -F "=x;encoder=base64", -F with encoder=quoted-printable',
    [
      [
        `${DISPOSITION}; name="a"`,
        'Content-Transfer-Encoding: base64',
        '',
        'SGVsbG8s\r\nIHdvcmxkIQ==',
      ],
      [
        `${DISPOSITION}; name="b"`,
        'Content-Transfer-Encoding: quoted-printable',
        '',
        'Gr=C3=BC=\r\n=C3=9Fe =3D 1',
      ],
    ],
    { a: 'Hello, world!', b: 'Grüße = 1' },
  ),
  form(
    '.NET HttpClient: names without quotes, the type first',
    [
      ['Content-Type: text/plain; charset=utf-8', `${DISPOSITION}; name=kind`, '', 'build'],
      [
        'Content-Type: application/octet-stream',
        `${DISPOSITION}; name=log; filename=a.log; filename*=utf-8''a.log`,
        '',
        '\x00\xff',
      ],
    ],
    { kind: 'build', log: file('a.log', 'application/octet-stream', '\x00\xff') },
    {
      declared: '"0f2a1d7c-52ec-4e27-9c5b-0d6a6f8a9f51"',
      boundary: '0f2a1d7c-52ec-4e27-9c5b-0d6a6f8a9f51',
    },
  ),
  form(
    '.NET HttpClient: a file name in an encoded word, and filename*',
    [
      [
        `${DISPOSITION}; name=f; filename="=?utf-8?B?w7xiZXIudHh0?="; filename*=utf-8''%C3%BCber.txt`,
        '',
        'x',
      ],
    ],
    { f: file('über.txt', 'text/plain', 'x') },
  ),
  form(
    '.NET Framework: an encoded word alone',
    [[`${DISPOSITION}; name=f; filename="=?utf-8?B?w7xiZXIudHh0?="`, '', 'x']],
    { f: file('über.txt', 'text/plain', 'x') },
  ),
  form(
    'Python requests: a file name that is not ASCII',
    [[`${DISPOSITION}; name="f"; filename="${utf8('naïve.txt')}"`, '', 'x']],
    { f: file('naïve.txt', 'text/plain', 'x') },
    { boundary: '8b1c3a4e9d2f4c5b8a7e6d5c4b3a2910' },
  ),
  form(
    'Python requests with urllib3 1: filename*',
    [[`${DISPOSITION}; name="f"; filename*=utf-8''na%C3%AFve.txt`, '', 'x']],
    { f: file('naïve.txt', 'text/plain', 'x') },
  ),
  form(
    'Python email: continued parameters',
    [
      [
        `${DISPOSITION}; name="f"; filename*0*=utf-8''na%C3%AF; filename*1="ve-report"; filename*2=.txt`,
        'Content-Type: text/plain; charset="utf-8"',
        'MIME-Version: 1.0',
        'Content-Transfer-Encoding: base64',
        '',
        'eA==',
        '',
      ],
    ],
    { f: file('naïve-report.txt', 'text/plain; charset="utf-8"', 'x') },
    {
      line: '\n',
      boundary: '===============1234567890==',
      declared: '"===============1234567890=="',
    },
  ),
  form(
    'Python aiohttp: a type for each field',
    [
      [
        'Content-Type: text/plain; charset=utf-8',
        `${DISPOSITION}; name="a"`,
        'Content-Length: 2',
        '',
        utf8('ü'),
      ],
    ],
    { a: 'ü' },
  ),
  form(
    'undici: fetch with FormData',
    [
      [`${DISPOSITION}; name="a%0D%0Ab"`, '', 'x\r\ny'],
      [
        `${DISPOSITION}; name="f"; filename="blob"`,
        'Content-Type: application/octet-stream',
        '',
        '',
      ],
    ],
    { 'a\r\nb': 'x\r\ny', f: file('blob', 'application/octet-stream', '') },
    { boundary: '----formdata-undici-077212941234' },
  ),
  form(
    'Chromium: a file input without a file',
    [
      [`${DISPOSITION}; name="title"`, '', utf8('日本')],
      [`${DISPOSITION}; name="f"; filename=""`, 'Content-Type: application/octet-stream', '', ''],
    ],
    { title: '日本', f: file('', 'application/octet-stream', '') },
    { boundary: '----WebKitFormBoundary7MA4YWxkTrZu0gW' },
  ),
  form(
    'Firefox: a page in windows-1252 with _charset_',
    [
      [`${DISPOSITION}; name="_charset_"`, '', 'windows-1252'],
      [`${DISPOSITION}; name="name"`, '', 'J\xfcrgen \x80'],
    ],
    { _charset_: 'windows-1252', name: 'Jürgen €' },
    { boundary: '---------------------------9051914041544843365972754266' },
  ),
  form(
    'Internet Explorer: the whole path of a file',
    [
      [
        `${DISPOSITION}; name="f"; filename="C:\\Users\\a\\report.txt"`,
        'Content-Type: text/plain',
        '',
        'x',
      ],
    ],
    { f: file('C:\\Users\\a\\report.txt', 'text/plain', 'x') },
    { boundary: '---------------------------7d33a816d302b6' },
  ),
  form(
    'PHP curl: repeated names',
    [
      [`${DISPOSITION}; name="tags[]"`, '', 'a'],
      [`${DISPOSITION}; name="tags[]"`, '', 'b'],
      [`${DISPOSITION}; name="tags[]"`, '', 'c'],
    ],
    { 'tags[]': ['a', 'b', 'c'] },
  ),
  form(
    'PHP Guzzle: a length in each part',
    [[`${DISPOSITION}; name="a"`, 'Content-Length: 1', '', '1']],
    { a: '1' },
    { boundary: 'a5f3b1c2d4e6f708192a3b4c5d6e7f8091a2b3c4' },
  ),
  form(
    'Go mime/multipart',
    [
      [`${DISPOSITION}; name="a"`, '', '1'],
      [
        `${DISPOSITION}; name="f"; filename="a\\\\b.bin"`,
        'Content-Type: application/octet-stream',
        '',
        '\r\n--B',
      ],
    ],
    { a: '1', f: file('a\\b.bin', 'application/octet-stream', '\r\n--B') },
    { boundary: '0b3f6c1d9a2e4f5b8c7d6e5f4a3b2c1d0e9f8a7b6c5d4e3f2a1b0c9d8e7f' },
  ),
  form(
    'Postman: a boundary of dashes and digits',
    [[`${DISPOSITION}; name="a"`, '', '1']],
    { a: '1' },
    { boundary: '--------------------------514563270473215968530276' },
  ),
  form(
    'Outlook-like: header names in lower case, folded headers, an encoded word',
    [
      [
        'content-type: text/plain;\r\n\tcharset="iso-8859-1"',
        'content-disposition: form-data;\r\n name="subject"',
        'content-transfer-encoding: Quoted-Printable',
        '',
        'Gr=FC=DFe',
      ],
      [
        'content-disposition: form-data; name="f";\r\n filename="=?iso-8859-1?Q?=FCber_uns.txt?="',
        '',
        'x',
      ],
    ],
    { subject: 'Grüße', f: file('über uns.txt', 'text/plain', 'x') },
    { boundary: '----=_NextPart_000_0012_01D9', declared: '"----=_NextPart_000_0012_01D9"' },
  ),
  form(
    'SendGrid: charsets of the fields as JSON',
    [
      [`${DISPOSITION}; name="text"`, '', 'Gr\xfc\xdfe'],
      [`${DISPOSITION}; name="subject"`, '', utf8('Grüße')],
      [`${DISPOSITION}; name="charsets"`, '', '{"text":"iso-8859-1","subject":"UTF-8"}'],
    ],
    { text: 'Grüße', subject: 'Grüße', charsets: '{"text":"iso-8859-1","subject":"UTF-8"}' },
    { boundary: 'xYzZY' },
  ),
  form(
    'Mailgun: a file in the middle of fields',
    [
      [`${DISPOSITION}; name="recipient"`, '', 'a@example.com'],
      [
        `${DISPOSITION}; name="attachment-1"; filename="a.png"`,
        'Content-Type: image/png',
        'Content-Length: 3',
        '',
        '\x89P\n',
      ],
      [`${DISPOSITION}; name="signature"`, '', 'abc'],
    ],
    {
      recipient: 'a@example.com',
      'attachment-1': file('a.png', 'image/png', '\x89P\n'),
      signature: 'abc',
    },
    { boundary: '2f1b4c0e8d3a4f6b9c5d7e8f0a1b2c3d' },
  ),
  form(
    'Java HttpClient: line ends without CR',
    [
      [`${DISPOSITION}; name="a"`, '', '1\n2'],
      [`${DISPOSITION}; name="b"`, '', ''],
    ],
    { a: '1\n2', b: '' },
    { line: '\n' },
  ),
  form(
    'Apache HttpClient: a charset and a transfer encoding for each part',
    [
      [
        `${DISPOSITION}; name="a"`,
        'Content-Type: text/plain; charset=Shift_JIS',
        'Content-Transfer-Encoding: 8bit',
        '',
        '\x93\xfa\x96{',
      ],
    ],
    { a: '日本' },
    { boundary: 'uV9j7zVd2oJcVw8nP0o3H1sYt5K4' },
  ),
  form(
    'Perl LWP: a boundary with blanks at its end of line',
    [[`${DISPOSITION}; name="a"`, '', '1']],
    { a: '1' },
    { last: `${CRLF}--B-- \t${CRLF}`, boundary: 'B' },
  ),
  form(
    'Ruby multipart-post: text before the first and after the last boundary',
    [[`${DISPOSITION}; name="a"`, '', '1']],
    { a: '1' },
    { last: `${CRLF}--B--${CRLF}an epilogue${CRLF}--B${CRLF}` },
  ),
  form(
    'a device: no last boundary',
    [
      [`${DISPOSITION}; name="a"`, '', '1'],
      [`${DISPOSITION}; name="b"`, '', '2'],
    ],
    { a: '1', b: '2' },
    { faults: [NO_END], last: CRLF },
  ),
  form(
    'a connection that breaks within a value',
    [[`${DISPOSITION}; name="a"`, '', '12\r']],
    { a: '12\r' },
    { faults: [NO_END], last: '' },
  ),
  form(
    'a connection that breaks behind the first header',
    [[`${DISPOSITION}; name="a"`, '', '1'], [`${DISPOSITION}; name="b"`]],
    { a: '1' },
    {
      faults: [NO_END, 'the multipart form has 1 part without a name, left out of "body"'],
      last: CRLF,
    },
  ),
  form(
    'a connection that breaks within a boundary',
    [[`${DISPOSITION}; name="a"`, '', '1']],
    { a: '1' },
    { faults: [NO_END], last: `${CRLF}--B` },
  ),
  form(
    'a connection that breaks within a header',
    [[`${DISPOSITION}; name="a"`, '', '1'], [`${DISPOSITION}; na`]],
    { a: '1' },
    {
      faults: [NO_END, 'the multipart form has 1 part without a name, left out of "body"'],
      last: '',
    },
  ),
  form(
    'a script that sets the content type itself, without its boundary',
    [[`${DISPOSITION}; name="a"`, '', '1\r\n--\r\n2']],
    { a: '1\r\n--\r\n2' },
    { faults: [NO_BOUNDARY], declared: '' },
  ),
  form(
    'a client with another boundary in the content type',
    [[`${DISPOSITION}; name="a"`, '', '1']],
    { a: '1' },
    { faults: [OTHER_BOUNDARY], declared: 'C' },
  ),
  form(
    'a form with one part that has no name',
    [
      ['Content-Type: text/plain', '', 'lost'],
      [`${DISPOSITION}; name="a"`, '', '1'],
    ],
    { a: '1' },
    { faults: ['the multipart form has 1 part without a name, left out of "body"'] },
  ),
  form(
    'a form with a transfer encoding that it does not have',
    [
      [`${DISPOSITION}; name="a"`, 'Content-Transfer-Encoding: base64', '', 'not base64!'],
      [`${DISPOSITION}; name="b"`, 'Content-Transfer-Encoding: x-own', '', '1'],
    ],
    { a: 'not base64!', b: '1' },
    { faults: ['the multipart form has 2 parts whose transfer encoding is unreadable'] },
  ),
  form(
    'a field in ISO-8859-1 that declares no charset',
    [[`${DISPOSITION}; name="a"`, '', 'J\xfcrgen']],
    { a: 'Jürgen' },
    {
      faults: [
        'the multipart form has a field that is read as windows-1252, because it is not valid UTF-8',
      ],
    },
  ),
  form(
    'a field with bytes that are no text',
    [[`${DISPOSITION}; name="a"`, '', '\x00\x01\xff']],
    { a: 'AAH/' },
    {
      faults: ['the multipart form has a field that is not text; it is passed on as base64'],
    },
  ),
  form(
    'two fields in one charset that none declares, and two that are no text',
    [
      [`${DISPOSITION}; name="a"`, '', '\xfc'],
      [`${DISPOSITION}; name="b"`, '', '\xe4'],
      [`${DISPOSITION}; name="c"`, '', '\0\xff'],
      [`${DISPOSITION}; name="d"`, '', '\0\xfe'],
    ],
    { a: 'ü', b: 'ä', c: 'AP8=', d: 'AP4=' },
    {
      faults: [
        'the multipart form has a field that is read as windows-1252, because it is not valid UTF-8',
        'the multipart form has a field that is not text; it is passed on as base64',
      ],
    },
  ),
  form(
    'a part in an unknown charset, in a form that names its own',
    [
      [`${DISPOSITION}; name="_charset_"; x`, '', 'windows-1251'],
      [`${DISPOSITION}; name="charset"; filename="charset"`, '', 'iso-8859-1'],
      [`${DISPOSITION}; name="a"`, 'Content-Type: text/plain; charset=none-such', '', '\xcf'],
    ],
    { _charset_: 'windows-1251', charset: file('charset', 'text/plain', 'iso-8859-1'), a: 'П' },
    {
      faults: [
        'the multipart form has a field that is read as windows-1251, because its charset is unknown',
      ],
    },
  ),
  form(
    'a field in UTF-16',
    [[`${DISPOSITION}; name="a"`, 'Content-Type: text/plain; charset=utf-16le', '', 'h\0i\0']],
    { a: 'hi' },
  ),
  form(
    'names with semicolons, quotes and blanks',
    [
      [`${DISPOSITION}; name = "a; b" ; filename=my file.txt`, '', 'x'],
      [`Content-Disposition:form-data;NAME='c'`, '', 'y'],
      [`${DISPOSITION}; name="say "hi""`, '', 'z'],
      [`${DISPOSITION}; name=d ; name=e; filename=\t"a\\\\"`, '', ''],
      [`${DISPOSITION}; name=";"; filename="a\\";b"\t`, '', ''],
    ],
    {
      'a; b': file('my file.txt', 'text/plain', 'x'),
      "'c'": 'y',
      'say "hi"': 'z',
      d: file('a\\', 'text/plain', ''),
      ';': file('a";b', 'text/plain', ''),
    },
  ),
  form(
    'lines in a value that begin like the boundary',
    [[`${DISPOSITION}; name="a"`, '', '1\r\n--Bxy\r\n--B-\r\n--B-x\r\n--Bx-\r\n2']],
    { a: '1\r\n--Bxy\r\n--B-\r\n--B-x\r\n--Bx-\r\n2' },
  ),
  form(
    'a boundary of 200 characters',
    [[`${DISPOSITION}; name="a"`, '', '1']],
    { a: '1' },
    { boundary: 'b'.repeat(200) },
  ),
  form(
    'a boundary of 200 characters behind blank lines, which is not declared',
    [[`${DISPOSITION}; name="a"`, '', '1']],
    { a: '1' },
    { boundary: 'b'.repeat(200), declared: '', first: '\r\n \t\r\n', faults: [NO_BOUNDARY] },
  ),
  form(
    'a boundary of 201 characters',
    [[`${DISPOSITION}; name="a"`, '', '1']],
    `--${'b'.repeat(201)}\r\n${DISPOSITION}; name="a"\r\n\r\n1\r\n--${'b'.repeat(201)}--\r\n`,
    { boundary: 'b'.repeat(201), faults: [NO_FORM] },
  ),
  form(
    'a byte order mark',
    [[`${DISPOSITION}; name="a"`, '', '1']],
    { a: '1' },
    { first: utf8('\uFEFF') },
  ),
  form(
    'a first line that ends like a boundary',
    [
      [`${DISPOSITION}; name="a"`, '', '1'],
      [`${DISPOSITION}; name="b"`, '', '2'],
    ],
    { b: '2' },
    { first: '\xefxx' },
  ),
  form(
    'text before a boundary that is not declared',
    [[`${DISPOSITION}; name="a"`, '', '1']],
    `xxB\r\n--B\r\n${DISPOSITION}; name="a"\r\n\r\n1\r\n--B--\r\n`,
    { declared: 'C', first: 'xxB\r\n', faults: [NO_FORM] },
  ),
  form('text before the only boundary', [], 'text\r\n--B--\r\n', {
    first: 'text',
    faults: [NO_FORM],
  }),
  form('text that begins like a boundary', [], '--x\r\ntext\r\n', {
    first: '--x\r\ntext',
    last: CRLF,
    faults: [NO_FORM],
  }),
  form(
    'parts without a name',
    [
      [`${DISPOSITION}; name="a"`, '', '1'],
      ['', 'lost'],
      [`${DISPOSITION}; filename="lost.txt"`, '', 'lost'],
    ],
    { a: '1' },
    { faults: ['the multipart form has 2 parts without a name, left out of "body"'] },
  ),
  form(
    'headers with blanks and without a colon, and a header that is no text',
    [
      [
        ` Content-Disposition : form-data; name="a\r\n\t b"; filename=x`,
        'X-Odd',
        'Content-Disposition',
        'X-\x00\xff: 1',
        'Content-Type:  text/html ',
        '',
        '1',
      ],
    ],
    { 'a b': file('x', 'text/html', '1') },
  ),
  form(
    'names in the charset of the form',
    [[`${DISPOSITION}; name="\xcf\xf0\xe8"`, '', '\xcf']],
    { При: 'П' },
    { declared: 'B; charset=windows-1251' },
  ),
  form(
    'file names with a charset and a language',
    [
      [`${DISPOSITION}; name="a"; filename*=windows-1251'ru'%CF%F0%E8`, '', '1'],
      [`${DISPOSITION}; name="b"; filename*0*=windows-1251'ru'%CF; filename*1*=a'b'%F0`, '', '2'],
      [
        `${DISPOSITION}; name="c"; filename="=?windows-1251*ru?q?=CF_?=  =?us-ascii?b?IQ==?="`,
        '',
        '',
      ],
      [`${DISPOSITION}; name*0=d; name*1=e%20; filename*0=a'b'%CF; filename*1=x`, '', '4'],
    ],
    {
      a: file('При', 'text/plain', '1'),
      b: file("Пa'b'р", 'text/plain', '2'),
      c: file('П !', 'text/plain', ''),
      'de%20': file("a'b'%CFx", 'text/plain', '4'),
    },
  ),
  form(
    'file names in forms that cannot be decoded',
    [
      [`${DISPOSITION}; name=a; filename*=x utf-8''y; filename=plain`, '', ''],
      [`${DISPOSITION}; name=b; filename*=utf-8''%00%FF; filename=plain`, '', ''],
      [`${DISPOSITION}; name=c; filename*0*=utf-8''%00; filename*1*=%FF`, '', ''],
      [`${DISPOSITION}; name=d; filename="a =?utf-8?b?IQ==?="`, '', ''],
      [`${DISPOSITION}; name=e; filename="=?utf-8?b?AP8=?==?utf-8?b?-?="`, '', ''],
    ],
    {
      a: file('plain', 'text/plain', ''),
      b: file('plain', 'text/plain', ''),
      c: file('%00%FF', 'text/plain', ''),
      d: file('a =?utf-8?b?IQ==?=', 'text/plain', ''),
      e: file('=?utf-8?b?AP8=?==?utf-8?b?-?=', 'text/plain', ''),
    },
  ),
  form(
    'quoted-printable with soft line breaks and signs that are no escapes',
    [
      [`${DISPOSITION}; name="a"`, '', 'a=3Db'],
      [
        `${DISPOSITION}; name="b"`,
        'Content-Transfer-Encoding: quoted-printable',
        '',
        'a=09b=20c=4Gd=G4e= \t\r\nf= g=',
      ],
    ],
    { a: 'a=3Db', b: 'a\tb c=4Gd=G4ef= g' },
  ),
  form(
    'names of the prototype',
    [
      [`${DISPOSITION}; name="__proto__"`, '', '1'],
      [`${DISPOSITION}; name="constructor"`, '', '2'],
    ],
    JSON.parse('{"__proto__":"1","constructor":"2"}'),
  ),
  { ...form('no fields', [], {}), body: bytes('--B--\r\n') },
  { ...form('no fields and no line end', [], {}), body: bytes('--B--') },
  { ...form('no form at all', [], 'text', { faults: [NO_FORM] }), body: bytes('text') },
]
