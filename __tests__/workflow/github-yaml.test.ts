import { describe, expect, test } from '@jest/globals'
import { isMap, isScalar, parseDocument } from 'yaml'
import { renderProblem } from '../../src/workflow/code-frame.ts'
import { FatalMistake } from '../../src/workflow/mistakes.ts'
import { parseYaml, yamlWarnings } from '../../src/workflow/yaml.ts'
import { fc } from '../support/properties.ts'

/** The findings in a file: `5:9 yaml-tag`, with its cure. */
function found(text: string): string[][] {
  const source = { name: 'a.yml', file: 'a.yml', text }
  try {
    const warnings = yamlWarnings(source, parseYaml(source))
    return warnings.map((one) => [`${one.position?.line}:${one.position?.column}`, `${one.code}`])
  } catch (error) {
    if (!(error instanceof FatalMistake)) throw error
    return error.problems.map(({ code, position, hint = '' }) => [
      `${position?.line}:${position?.column}`,
      `${code}`,
      hint,
    ])
  }
}

/** The findings as `check` prints them. To record an intended change, run: npm run jest -- github-yaml -u */
function printed(text: string): string {
  const source = { name: 'a.yml', file: 'a.yml', text }
  try {
    const warnings = yamlWarnings(source, parseYaml(source))
    return warnings.map((one) => renderProblem(one, 'warning')).join('\n')
  } catch (error) {
    if (!(error instanceof FatalMistake)) throw error
    return error.problems.map((one) => renderProblem(one)).join('\n')
  }
}

const codes = (text: string) => found(text).map(([, code]) => code)

/** A workflow with lines in its job; the first of them is line 5. */
const job = (...lines: string[]) =>
  ['on: push', 'jobs:', '  a:', '    runs-on: x', ...lines.map((line) => `    ${line}`), ''].join(
    '\n',
  )

/** A workflow with a step; the first line is line 6. */
const step = (...lines: string[]) => job('steps:', ...lines.map((line) => `  ${line}`))

describe('a tag before a scalar', () => {
  test.each([
    ['a negation', job('if: ! x'), '5:9', 'if: "! x"'],
    ['a negation without a space', job('if: !x()'), '5:9', 'if: "!x()"'],
    ['a comment behind it', job('if: !x # why'), '5:9', 'if: "!x"'],
    ['a comma', job("if: !contains(a, 'b')"), '5:9', `if: "!contains(a, 'b')"`],
    ['an operator that is an anchor', job('if: !a && !b'), '5:9', 'if: "!a && !b"'],
    ['an operator that begins a block', job('if: !a || b', 'steps: []'), '5:9', 'if: "!a || b"'],
    ['parentheses', job('if: !(a && b)'), '5:9', 'if: "!(a && b)"'],
    ['double quotes in it', job('if: !a == "b"'), '5:9', `if: '!a == "b"'`],
    ['two lines', job('if: ! a &&', '  b'), '5:9', 'if: "! a && b"'],
    ['its value on the next line', job('if: !', '  x'), '5:9', 'if: "! x"'],
    ['a quoted value', job('if: ! "x"'), '5:9', 'if: "! x"'],
    ['a list', 'on:\n  push:\n    paths:\n      - !a/**\njobs: {}\n', '4:9', '- "!a/**"'],
    ['a list in brackets', 'on: {push: {paths: [!a, b]}}\njobs: {}\n', '1:21', '"!a"'],
    ['a mapping in braces', job('env: { A: !env B }'), '5:15', 'A: "!env B"'],
    ['a key', job('env:', '  !x A: b'), '6:7', 'quote the key: "!x A":'],
    ['a key in braces', job('env: {!x A: b}'), '5:11', 'quote the key: "!x A":'],
    ['a block', step('- run: !x |', '    echo'), '6:14', 'remove the tag'],
    ['after an anchor', job('env:', '  A: &k !x v', '  B: *k'), '6:13', 'A: "!x v"'],
    ['before an anchor', job('env:', '  A: !x &k v', '  B: *k'), '6:10', 'A: "!x'],
    ['nothing', job('env:', '  A: !x', '  B: b'), '6:10', 'A: "!x"'],
    ['an unknown handle', job('env:', '  A: !q!z 1'), '6:10', 'A: "!q!z 1"'],
    ['a tag of its own', job('env:', '  A: !<x> y'), '6:10', 'A: "!<x> y"'],
    ['an integer that is none', job('env:', '  A: !!int x'), '6:10', 'correct the value'],
    ['a boolean of YAML 1.1', job('env:', '  A: !!bool yes'), '6:10', 'correct the value'],
    ['a quoted integer', job('env:', '  A: !!int "5"'), '6:10', 'remove the tag'],
    ['a type that GitHub lacks', job('env:', '  A: !!binary aGk='), '6:10', 'remove the tag'],
    ['options of Hookline', 'on: {webhook: {path: !x /a}}\njobs: {}\n', '1:22', 'path: "!x /a"'],
    ['an action', 'runs:\n  using: !x node24\n', '2:10', 'using: "!x node24"'],
    ['a file of triggers', 'webhook:\n  path: !x /a\n', '2:9', 'path: "!x /a"'],
  ])('is refused: %s', (_, text, at, cure) => {
    expect(found(text)).toEqual([[at, 'yaml-tag', expect.stringContaining(cure)]])
    expect(printed(text)).toMatchSnapshot()
  })

  test.each(['!!binary aGk=', '!!strange x', '!!floating 1'])(
    'has no better value: %s',
    (value) => {
      expect(found(job('env:', `  A: ${value}`))).toEqual([['6:10', 'yaml-tag', 'remove the tag']])
    },
  )

  test.each([
    ['a string', job('env: { A: !!str 1, B: !!str "x", !!str C: x }')],
    ['a string as a block', step('- run: !!str |', '    echo')],
    ['numbers', job('env: { A: !!int 0x1F, B: !!float 1e3, C: !!int -7, D: !!float .inf }')],
    ['a boolean and nulls', job('env: { A: !!bool true, B: !!null ~, C: !!null }')],
    ['a tag in full', job('env:', '  A: !<tag:yaml.org,2002:str> x')],
    ['quotes around it', job('if: "! x"', "env: {A: '!b'}")],
    ['text', step('- run: |', '    ! x', '    !y', '- run: echo !x')],
  ])('is accepted: %s', (_, text) => {
    expect(found(text)).toEqual([])
  })

  test('the cure of a condition keeps every character of it', () => {
    const words = fc.constantFrom(
      'a',
      "'b'",
      '"c"',
      '(',
      ')',
      '==',
      '&&',
      ' || ',
      '!',
      '\\',
      'a[0]',
    )
    fc.assert(
      fc.property(fc.array(words, { maxLength: 8 }), (parts) => {
        const condition = `!${parts.join(' ')}`.trim()
        const [first] = found(job(`if: ${condition}`, 'env: {A: b}'))
        const [, code, cure = ''] = first ?? []
        expect(code).toBe('yaml-tag')
        const { contents } = parseDocument(cure.replace('quote the value: ', ''))
        const value = isMap(contents) ? contents.get('if', true) : undefined
        expect(isScalar(value) && value.value).toBe(condition.replaceAll(/\s+/g, ' '))
      }),
    )
  })
})

describe('a tag before a mapping or a list', () => {
  test.each([
    ['a mapping', job('env: !x', '  A: b'), '5:10'],
    ['a mapping in braces', job('env: !x {A: b}'), '5:10'],
    ['a list', job('needs: !x', '  - b'), '5:12'],
    ['a list in brackets', job('needs: !!seq [b]'), '5:12'],
  ])('is a warning: %s', (_, text, at) => {
    expect(found(text)).toEqual([[at, 'ignored-yaml']])
    expect(printed(text)).toMatchSnapshot()
  })
})

describe('a directive', () => {
  test.each([
    ['YAML 1.2', `%YAML 1.2\n---\n${job()}`, '1:1'],
    ['YAML 1.0', `%YAML 1.0\n---\n${job()}`, '1:1'],
    ['YAML 1.1 twice', `%YAML 1.1\n%YAML 1.1\n---\n${job()}`, '2:1'],
    ['an unknown one', `%FOO x\n---\n${job()}`, '1:1'],
    ['a handle twice', `%TAG !y! a\n%TAG !y! b\n---\n${job()}`, '2:1'],
  ])('is refused: %s', (_, text, at) => {
    expect(found(text)).toEqual([[at, 'yaml-directive', 'remove the line']])
    expect(printed(text)).toMatchSnapshot()
  })

  test.each([
    ['YAML 1.1', `%YAML 1.1\n---\n${job('env: {A: yes, on: off}')}`],
    ['YAML 1.1 after a comment', `# a\n\n%YAML 1.1 # b\n---\n${job()}`],
    ['text', step('- run: |', '    %YAML 1.2')],
  ])('is accepted: %s', (_, text) => {
    expect(found(text)).toEqual([])
  })

  test('%YAML 1.1 does not change what a word means', () => {
    const text = '%YAML 1.1\n---\non: yes\n'
    expect(parseYaml({ name: 'a', file: 'a', text }).toJS()).toEqual({ on: 'yes' })
  })

  test('%TAG is a warning, and its handles count', () => {
    const handle = '%TAG !y! tag:yaml.org,2002:\n---\n'
    expect(codes(`${handle}${job('env:', '  A: !y!str 5')}`)).toEqual(['ignored-yaml'])
    expect(codes(`${handle}${job('env:', '  A: !y!set 5')}`)).toEqual(['yaml-tag'])
  })
})

describe('two keys that differ in case', () => {
  test.each([
    ['env', job('env: {PATH: a, path: b}')],
    ['env of a step', step('- run: a', '  env:', '    Home: a', '    HOME: b')],
    ['with', step('- uses: x', '  with:', '    Name: a', '    name: b')],
    ['inputs', 'on:\n  workflow_dispatch:\n    inputs: {A: {}, a: {}}\njobs: {}\n'],
    ['jobs', 'on: push\njobs: {A: {}, a: {}}\n'],
    ['matrix', job('strategy:', '  matrix: {OS: [a], os: [b]}')],
    ['include', job('strategy:', '  matrix: {include: [{a: 1, A: 2}]}')],
    ['events', 'on: {push: , Push: }\njobs: {}\n'],
    ['sections', 'on: push\nOn: push\njobs: {}\n'],
    ['numbers', job('env: {1: a, 0x1: b}')],
    ['an action', 'runs: {using: node24}\ninputs: {a: {}, A: {}}\n'],
  ])('are refused: %s', (_, text) => {
    expect(codes(text)).toEqual(['duplicate-key'])
    expect(printed(text)).toMatchSnapshot()
  })

  test.each([
    ['a filter', 'on:\n  webhook:\n    config:\n      filter: {Body: 1, body: 2}\njobs: {}\n'],
    ['headers', 'on: {webhook: {verify: {Header: a, header: b}}}\njobs: {}\n'],
    ['triggers alone', 'webhook: {config: {filter: {Body: 1, body: 2}}}\n'],
    ['two mappings', job('env: {A: 1}', 'strategy: {matrix: {a: [1]}}')],
  ])('are accepted: %s', (_, text) => {
    expect(found(text)).toEqual([])
  })
})

describe('the name of an anchor', () => {
  test.each([
    ['+', job('env: &a+b {A: 1}'), '5:10', '&a-b'],
    ['a dot', job('env: &a.b {A: 1}'), '5:10', '&a-b'],
    ['a letter outside of ASCII', job('env: &ä {A: 1}'), '5:10', 'ASCII'],
    ['a scalar', job('name: &a/b c'), '5:11', '&a-b'],
    ['an action', 'runs: &a {using: node24}\n', '1:7', 'twice'],
    ['a pattern', job('paths:', '  - *.js'), '6:9', '- "*.js"'],
    ['a pattern in brackets', job('paths: [**/a]'), '5:13', '"**/a"'],
  ])('is refused: %s', (_, text, at, cure) => {
    expect(found(text)).toEqual([[at, 'anchor-name', expect.stringContaining(cure)]])
    expect(printed(text)).toMatchSnapshot()
  })

  test('is shown without signs at its ends', () => {
    const [, , cure] = found(job('env: &-.a-. {A: 1}'))[0] ?? []
    expect(cure).toMatch(/: &a$/)
  })

  test('an alias of such an anchor is refused, too', () => {
    expect(codes(job('env: &a+b {A: 1}', 'with: *a+b'))).toEqual(['anchor-name', 'anchor-name'])
  })

  test('letters, digits, "-" and "_" are accepted', () => {
    expect(found(job('env: &a-b_1 {A: 1}', 'with: *a-b_1'))).toEqual([])
  })
})

describe('a merge key', () => {
  test.each([
    ['env', job('env: &b {A: 1}', 'with:', '  <<: *b'), '7:7'],
    ['a list of mappings', job('env:', '  <<: [{A: 1}, {B: 2}]'), '6:7'],
    ['with', step('- uses: x', '  with: {<<: {a: b}}'), '7:16'],
    ['a step', step('- <<: {run: x}'), '6:9'],
    ['on', 'on:\n  <<: {push: }\njobs: {}\n', '2:3'],
    ['jobs', 'on: push\njobs:\n  <<: {a: {}}\n', '3:3'],
    ['the whole file', 'on: push\n<<: {a: b}\njobs: {}\n', '2:1'],
    ['the matrix', job('strategy: {matrix: {<<: {a: [1]}}}'), '5:25'],
  ])('is refused: %s', (_, text, at) => {
    expect(found(text)).toEqual([[at, 'merge-key', expect.stringContaining('write the keys here')]])
    expect(printed(text)).toMatchSnapshot()
  })

  test.each([
    ['an entry of the matrix', job('strategy:', '  matrix: {include: [{<<: {a: 1}}]}')],
    ['inputs', 'on: {workflow_call: {inputs: {<<: {type: string}}}}\njobs: {}\n'],
    ['options of Hookline', 'on: {webhook: {<<: {method: post}}}\njobs: {}\n'],
    ['a name with a string', job('env: {<<: a}')],
  ])('is a warning: %s', (_, text) => {
    expect(codes(text)).toEqual(['ignored-yaml'])
    expect(printed(text)).toMatchSnapshot()
  })

  test('is accepted in quotes', () => {
    expect(found(job('env: {"<<": a}'))).toEqual([])
  })
})

describe('other input that GitHub refuses', () => {
  test.each([
    ['the key true', 'true: push\njobs: {}\n', '1:1 not-a-workflow write "on:"'],
    ['the key "True"', 'name: a\n"True": {push: }\njobs: {}\n', '2:1 not-a-workflow write "on:"'],
    ['a second document', `${job()}---\nfoo: 1\n`, '5:1 yaml-syntax remove the line ---'],
    ['an empty second document', `${job()}---\n`, '5:1 yaml-syntax remove the line ---'],
    ['a document after dots', `${job()}...\nfoo: 1\n`, '6:1 yaml-syntax remove the line ---'],
    ['32 bits', job('env: {A: 0x1deadbeef}'), '5:14 number-range quote the value: "0x1deadbeef"'],
  ])('%s', (_, text, expected) => {
    expect(found(text).map((one) => one.join(' '))).toEqual([expect.stringContaining(expected)])
    expect(printed(text)).toMatchSnapshot()
  })

  test.each([
    ['a beginning', `---\n${job()}`],
    ['dots', `${job()}...\n`],
    ['a key true below on', 'on: push\njobs: {true: {}}\n'],
    ['32 bits', job('env: {A: 0xdeadbeef, B: "0x1deadbeef"}')],
  ])('accepted: %s', (_, text) => {
    expect(found(text)).toEqual([])
  })
})

describe('a slip has one finding, with its cure', () => {
  test.each([
    ['a key twice', job('env: {A: b, A: c}'), '5:17 duplicate-key remove one'],
    ['a tag in braces', job('env: {A: !! 1}'), '5:14 yaml-tag write the whole value in quotes'],
    ['a first key that is indented', ' on: push\njobs:\n  a:\n', '2:1 yaml-syntax check the ind'],
    ['an item without its dash', job('steps:', '  - id: a', '   run: b'), '7:8 yaml-syntax check'],
    ['text after "|"', job('steps:', '  - run: | a', '      b'), '6:16 yaml-syntax begin the text'],
    ['an open quote', job('if: "a', 'env: {}'), '5:9 yaml-syntax write a "'],
    ['an open quote with escapes', job(`if: 'it''s`, 'env: {}'), "5:9 yaml-syntax write a '"],
    [
      'an apostrophe',
      job(`if: 'it's'`),
      '5:13 yaml-syntax the quotes end before it: write the whole value in "…"',
    ],
    [
      'a condition with quotes',
      job(`if: 'a' == 'b'`),
      '5:13 yaml-syntax the quotes end before it: write the whole value in "…"',
    ],
    ['a bad escape', job('if: "a\\d"'), '5:11 yaml-syntax write "\\\\" for a backslash'],
    ['a reserved character', job('name: @a'), '5:11 yaml-syntax quote the value'],
    [
      'an expression in braces',
      job('env: {A: ${{ b }}, C: d}'),
      '5:15 yaml-syntax quote the value',
    ],
  ])('%s', (_, text, expected) => {
    expect(found(text).map((one) => one.join(' '))).toEqual([expect.stringContaining(expected)])
    expect(printed(text)).toMatchSnapshot()
  })
})

test.each([
  ['a comment without a space before it', job('name: "a"# b')],
  ['a list without a comma', job('needs: ["a" "b"]')],
  ['a mapping without a comma', job('env: {"A": "b" "C": "d"}')],
  ['an open list at the end of the file', job('needs: ["a", "b"').trimEnd()],
])('quotes that are not the mistake have no hint: %s', (_, text) => {
  expect(
    found(text)
      .map(([, , hint]) => hint)
      .join(''),
  ).toBe('')
})

describe('an unindented line that ends a block', () => {
  test.each([
    ['a heredoc', ['cat <<EOF', '', 'hello', 'EOF', '          echo']],
    ['one word', ['a', '', '}']],
    ['a mapping in braces', ['a', '', '{ b }']],
    ['Markdown', ['a', '', '**b**']],
    ['a list', ['a', '', '- b', '          c']],
    ['quotes', ['a', '', '"b" c']],
    ['a key', ['a', '', 'Subject: b', '          c']],
    ['keys before the end of a heredoc', ['a', '', 'b: c', 'd: e', 'EOF']],
    ['a comment before the end of a heredoc', ['a', '', '# b', 'EOF']],
    ['a section that is continued', ['a', '', 'name: b', '          c']],
    ['less indented', ['a', '', '        b c']],
    ['a list where no list is', ['a', '', '    - b', '          c']],
    ['a key where no mapping is', ['a', '', '      b: c', '       d: e']],
    ['a key that is continued', ['a', '', '        b: c', '          d: e']],
  ])('is named: %s', (_, [first = '', , ...lines]) => {
    const text = [step('- run: |', `    ${first}`).trimEnd(), ...lines, '      - run: b', ''].join(
      '\n',
    )
    const column = 1 + (lines[0]?.search(/\S/) ?? 0)
    expect(printed(text)).toMatchSnapshot()
    expect(found(text)[0]).toEqual([
      `8:${column}`,
      'yaml-syntax',
      expect.stringContaining('10 spaces'),
    ])
  })

  test.each([
    ['a key', '       env:', '8:8', ', or by 8 if it is a key beside "run"'],
    ['an item of a list', '       - b:', '8:8', ''],
    ['text with a colon', '       b:c', '8:8', ''],
  ])('is named with the column of a key if it can be one: %s', (_, line, place, other) => {
    const text = `${step('- run: |', '    a')}${line}\n          C: d\n`
    const hint = `indent it by 10 spaces, as the text above${other}`
    expect(found(text)[0]).toEqual([place, 'yaml-syntax', hint])
  })

  test.each([
    ['a step with text after "|"', '      - run: | b', '8:16 yaml-syntax begin the text'],
    ['a step with text after quotes', '      - name: "b" c', '8:19 yaml-syntax the quotes end'],
    ['a step with a reserved character', '      - name: @b', '8:15 yaml-syntax quote the value'],
    [
      'a step in braces',
      '      - {name: ${{ b }}}',
      '8:17 yaml-syntax quote the value with the expression',
    ],
    ['a key of the step', '        name: @b', '8:15 yaml-syntax quote the value'],
    ['a key of the job', '    name: @b', '8:11 yaml-syntax quote the value'],
    ['the next job', '  b: @b', '8:6 yaml-syntax quote the value'],
    ['a section', 'env: @b', '8:6 yaml-syntax quote the value'],
  ])('is not %s, which has its own mistake', (_, line, expected) => {
    const text = `${step('- run: |', '    a')}${line}\n`
    expect(found(text).map((one) => one.join(' '))).toEqual([expect.stringContaining(expected)])
    expect(printed(text)).toMatchSnapshot()
  })

  test('a mistake on the second line, after an empty one, is none', () => {
    expect(codes('\nname x\non: push\njobs: {}\n')).toEqual(['yaml-syntax'])
  })

  test('a key in the column of the other needs no other column', () => {
    const text = 'on: push\njobs: {}\nrun-name: |\n  Hello\nSubject: x\n  more\n'
    expect(found(text)).toEqual([
      ['5:1', 'yaml-syntax', 'indent it by 2 spaces, as the text above'],
    ])
  })

  test('a section after a block is none', () => {
    expect(found(`${step('- run: |', '    a')}env:\n  A: b\n`)).toEqual([])
  })

  test('a section that has a mistake on its next line is none', () => {
    const [[place] = []] = found(`${step('- run: |', '    a')}env:\n}\n`)
    expect(place).toBe('9:1')
  })
})

describe('the printed findings are those of the recording:', () => {
  test.each([
    ['a key below a value', 'a: b\n  c: d\ne: f\n'],
    ['a key below a value, after a comment', 'a: b # c\n   c.d: e\n'],
    ['words without a colon', 'a: 1\nb c\nd: e\n'],
    ['a tab after spaces', 'a:\n  \tb: c\n'],
    ['two tabs in a list', 'a:\n\t\t- b\n'],
    ['no-break spaces after spaces', 'a:\n  b: 1\n  \u00a0\u00a0c: d\n'],
    ['a tab within a line', 'a:\tb\nc: @d\n'],
    ['single quotes with escapes, open', "a: 'it''s ''b\nc: d\n"],
    ['double quotes with escapes, open', 'a: "b \\"c\\" d\ne: f\n'],
    ['quotes that are open at the end of the file', 'a: "b'],
    ['text after double quotes', 'a: "b" == c\n'],
    ['text after single quotes and white space', "a: 'b'  == c\n"],
    ['text after a list', 'a: [b] c\n'],
    ['an open list', 'a: [b,\nc: d\n'],
    ['an open mapping', 'a: {b: c\nd: e\n'],
    ['a bracket too many', 'a: [b]]\nc: d\n'],
    ['a brace too many', 'a: b}\nc: {d: e}}\n'],
    ['a bracket that closes a brace', 'a: {b: c]\n'],
    ['a backtick', 'a: `b`\n'],
    ['a percent sign', 'a: %b\n'],
    ['an ampersand alone', 'a: & b\n'],
    ['an asterisk alone', 'a: * b\n'],
    ['a key in a list', '- a\nb: c\n'],
    ['an item in a mapping', 'a: b\n- c\n'],
    ['an item with less indentation', 'a:\n    - b\n  - c\n'],
    ['an item with more indentation', 'a:\n  - b\n    - c\n'],
    ['two colons', 'a: b: c\n'],
    ['a list on the line of its key', 'a: - b\n'],
    ['a header of a block with text', 'a: >x\n  b\n'],
    ['a header with two numbers', 'a: |22\n  b\n'],
    ['a block whose first line is empty and deeper', 'a: |\n      \n  b\nc: d\n'],
    ['an unknown escape', 'a: "\\q"\n'],
    ['an escape that is too short', 'a: "\\u12"\n'],
    ['a key that is a list', '[a]: b\n'],
    ['a key that is a mapping', '{a: b}: c\n'],
    ['a key that is an alias', 'a: &b c\n*b : d\n'],
    ['expressions in braces', 'a: {b: ${{ c }}, d: ${{ e }}}\n'],
    ['an expression in brackets', 'a: [${{ b }}, c]\n'],
    ['a condition with a colon', "if: a == 'b: c'\nd: e: f\n"],
    ['an alias without a name in a list', 'a: [*, b]\n'],
    ['a line after the end of the document', 'a: b\n...\nc: d\ne: f\n'],
    ['a comment that follows a value directly', 'a: "b"#c\n'],
    ['mistakes on lines that follow each other', 'a: @b\nc: @d\n\ne: @f\n'],
    ['two mistakes on one line', 'a: {b: @c, d: @e}\n'],
    ['an alias of a later anchor', 'a: *b\nc: &b d\n'],
    ['an alias with a slip', 'a: &build {x: y}\nc: *biuld\n'],
    ['aliases of two names', 'a: &b c\nd: &e f\ng: [*b, *e, *h]\n'],
    ['an anchor within itself', 'a: &b [c, *b]\nd: &e {f: *e}\n'],
    ['a key twice', 'a: 1\nb: 2\na: 3\na: 4\n'],
    ['a null and an empty key', 'jobs: {~: 1, null: 2, "": 3}\n'],
    ['equal numbers as keys', 'jobs: {1: a, 1.0: b, 01: c, 0x1: d, 1e0: e, "1": f}\n'],
    [
      'numbers that are none as keys',
      'jobs: {.inf: a, .INF: b, +.Inf: c, -.inf: d, .nan: e, .NaN: f, nan: g, .nano: h}\n',
    ],
    ['a tag of a value and a key', 'jobs: {!!str A: 1, a: 2}\n'],
    ['keys with expressions', 'jobs: {"${{ a }}": 1, "${{ A }}": 2, "${{ a }}": 3}\n'],
    ['no-break space as a key', 'jobs:\n  \u00a0a: 1\n'],
    [
      'numbers',
      'jobs: {a: 0xffffffff, b: 0x100000000, c: 0o37777777777, d: 0o40000000000, e: 00x1, f: "0x100000000"}\n',
    ],
    [
      'merge keys in an action',
      'runs: {using: a, <<: {b: c}}\ninputs: {<<: {d: e}}\noutputs: {<<: {d: e}}\n<<: {f: g}\n',
    ],
    [
      'merge keys in places with names',
      'on:\n  workflow_dispatch: {inputs: {<<: {a: b}}}\n  workflow_call: {secrets: {<<: {a: b}}, outputs: {<<: {a: b}}}\njobs:\n  a:\n    services: {<<: {a: b}}\n    strategy: {matrix: {a: [{<<: {a: b}}]}}\n',
    ],
    [
      'merge keys elsewhere',
      'on:\n  workflow_run: {inputs: {<<: {a: b}}}\njobs:\n  a:\n    services: {b: {<<: {a: b}}}\n    strategy: {<<: {a: b}}\n',
    ],
    ['true as a key', 'TRUE: push\njobs: {}\n'],
    ['true as a key, with on', 'true: push\non: push\njobs: {}\n'],
    ['directives', '%TAG !a! tag:a\n%TAG !a! tag:b\n%TAG !b! tag:c\n%FOO bar\n---\na: b\n'],
    ['a directive of YAML 1.2 and another one', '%YAML 1.2\n%YAML 1.1\n---\na: b\n'],
    ['YAML 1.1 with zeros', '%YAML 01.01\n---\na: yes\n'],
    ['YAML 1.10', '%YAML 1.10\n---\na: yes\n'],
    ['YAML 1.1 in a text', 'a: |\n  %YAML 1.1\n---\n'],
    ['an anchor in an action', 'runs: &a {using: b}\ninputs: *a\n'],
    ['anchors and aliases with other signs', 'a: &b.c d\ne: *b.c\nf: *.g\nh: &- i\n'],
    ['tags on one line', 'a: {b: !c d, e: !f, g: !h "i", j: !k [l], m: !!int x}\n'],
    [
      'tags on several lines',
      'a:\n  - !b\n    c\n  - !d | # e\n    f\n  - !g >-\n    h\n  - !i\n  - !j "k l" # m\n  - !n &o p # q\n  - &r !s t\n',
    ],
    ['a long tag', `a: !b ${'c'.repeat(117)}\nd: !e ${'f'.repeat(118)}\n`],
    [
      'tags with numbers',
      'a: [!!int +1, !!int 0b1, !!float 1., !!float .5e-3, !!float 1_0, !!bool True, !!bool tRue, !!null Null, !!null x, !!float -.INF, !!float nan, !!int 0o17, !!int 0x100000000]\n',
    ],
    ['tags of keys', '!a b: c\nd: {!!int e: f, !!binary g: h}\n'],
    ['too many levels', `jobs:\n  a: ${'['.repeat(49)}${']'.repeat(49)}\n`],
    [
      'a section in a script',
      'jobs:\n  a:\n    steps:\n      - run: |\n          x\nenv: (a)\n          y\n',
    ],
    [
      'a section after a script',
      'jobs:\n  a:\n    steps:\n      - run: |\n          x\nname: a b\nenv:\n  a: b\n',
    ],
    [
      'a line of a heredoc with a key',
      'jobs:\n  a:\n    steps:\n      - run: |\n          cat <<EOF\nFrom: a\n\n           b\nEOF\n      - run: c\n',
    ],
    ['a line of a folded text', 'a:\n  b: >-\n    x\n y\n  c: d\n'],
    ['a line of a text with signs', 'a:\n  b: |2+\n      x\n y z\n'],
    ['an item of a text', 'a:\n  - b: |\n      x\n   - y\n'],
    ['a key of a text in a list', 'a:\n  - - b: |\n        x\n     c: y\n    d: e\n'],
  ])('%s', (_, text) => {
    expect(printed(text)).toMatchSnapshot()
  })
})

test('only the first 20 findings are shown', () => {
  const mistakes = (count: number) =>
    Array.from({ length: count }, (_, at) => `k${at}: @a\n\n`).join('')
  const last = (count: number) => printed(mistakes(count)).split('\n').at(-1)
  expect(codes(mistakes(21))).toHaveLength(20)
  expect([20, 21, 22].map(last)).toEqual([
    '    |      ^ quote the value',
    '    = and 1 more',
    '    = and 2 more',
  ])
  const warnings = (count: number) => `a:\n${'  - !x {a: b}\n'.repeat(count)}`
  expect(codes(warnings(20))).toHaveLength(20)
  expect(codes(warnings(21))).toHaveLength(20)
})

describe('limits', () => {
  const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`
  const list = (entries: number) => `[${Array.from({ length: entries }, () => 'a').join()}]`

  test('a workflow has at most 50 levels, with those of its aliases', () => {
    expect(found(job(`x: ${nested(47)}`))).toEqual([])
    expect(codes(job(`x: ${nested(48)}`))).toEqual(['too-large'])
    expect(found(job(`x: &a ${nested(40)}`, `y: [[[[[[[*a]]]]]]]`))).toEqual([])
    expect(codes(job(`x: &a ${nested(40)}`, `y: [[[[[[[[*a]]]]]]]]`))).toEqual(['too-large'])
    expect(found(`on: {webhook: {config: {filter: ${nested(60)}}}}\njobs: {}\n`)).toEqual([])
  })

  test('a file has at most 50,000 nodes, with those of its aliases', () => {
    const aliases = (count: number) => Array.from({ length: count }, () => '*a').join()
    expect(found(job(`x: &a ${list(998)}`, `y: [${aliases(48)}]`))).toEqual([])
    expect(codes(job(`x: &a ${list(998)}`, `y: [${aliases(50)}]`))).toEqual(['too-large'])
  })

  test('a hundred lists of a hundred lists are refused, whatever they would contain', () => {
    const lines = Array.from({ length: 20 }, (_, at) => {
      const last = at === 0 ? 'x' : `*a${at - 1}`
      return `x${at}: &a${at} [${Array.from({ length: 20 }, () => last).join()}]`
    })
    expect(codes(job(...lines))).toEqual(['too-large'])
  })

  test('thousands of mistakes take no minute', () => {
    const lines = (line: (at: number) => string) =>
      Array.from({ length: 7000 }, (_, at) => line(at)).join('')
    expect(codes(`a:\n${lines((at) => `- &b${at} x\n- *c${at}\n`)}`)).toHaveLength(20)
    const scripts = lines((at) => `k${at}: |\n  x\nfoo${at}: b\n  y\n`)
    expect(codes(`jobs: {}\n${scripts}`)).toHaveLength(20)
  }, 20_000)

  test('an alias can be used 200 times', () => {
    const text = job('x: &a b', `y: [${Array.from({ length: 200 }, () => '*a').join()}]`)
    expect(found(text)).toEqual([])
  })
})
