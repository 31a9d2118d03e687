import { describe, expect, test } from '@jest/globals'
import { flowOf } from '../../src/lint/flow/data-flow.ts'
import { untrustedFindings } from '../../src/lint/untrusted.ts'
import { sourceFile, withStep } from '../compiler/support/compiled.ts'
import { findUntrusted, fixUntrusted, flagged, lintedFile, X } from './support/untrusted.ts'

describe('flags what a sender could word', () => {
  test.each([
    'on.webhook.outputs.body',
    "on['webhook']['outputs'].body",
    'ON.webhook.OUTPUTS.querystring',
    'toJSON(on)',
    'toJSON(on.webhook)',
    'toJSON(on.*.outputs)',
    "join(github.event.commits.*.message, ' ')",
    'github.event.commits.*.message[0]',
    "format('{0}', on.webhook.outputs.params.id)",
    "github.actor == 'x' && on.webhook.outputs.body.a || 'no'",
    'fromJSON(toJSON(on.webhook.outputs.body)).a',
    'github.event.client_payload.body',
    "github['event']['client_payload'].path",
    'toJSON(github.event)',
    'toJSON(github)',
    'github.event[inputs.a]',
    'inputs.on',
    '(on.webhook.outputs.body)',
    "join(on.webhook.outputs.body.tags, ' ')",
    "case(true, on.webhook.outputs.body, 'b')",
    "case(on.webhook.outputs.body.a, 'a', on.webhook.outputs.body)",
    'inputs.hookline',
    'github.event.inputs.hookline',
    "fromJSON(inputs['hookline']).body",
    'github.event.issue.title',
    'github.event.commits[0].message',
    'github.head_ref',
    'github.event.pull_request.head.ref',
    'github.event.workflow_run.head_branch',
    'toJSON(github.event.comment)',
  ])('%s', (expression) => {
    const on = '[webhook, issue_comment, pull_request, push, workflow_run]'
    expect(flagged(withStep(`      - run: echo "\${{ ${expression} }}"`, on))).toEqual(['run'])
  })

  test.each<[string, string, boolean]>([
    ['github.event.comment.body', 'issue_comment', true],
    ['github.event.comment.body', '[pull_request, push, workflow_dispatch]', false],
    ['github.event.comment.body', '{workflow_call: {}, push: {}}', true],
    ['github.event.issue.title', '{issues: {types: [opened]}}', true],
    ['github.event.issue.title', 'schedule', false],
    ['github.head_ref', 'pull_request_target', true],
    ['github.head_ref', '[push, merge_group]', false],
    ['github.event.head_commit.message', 'push', true],
    ['github.event.head_commit.message', 'pull_request', false],
    ['toJSON(github.event)', 'gollum', true],
  ])('%s under "on: %s": %s', (expression, on, isFound) => {
    const text = withStep(`      - run: echo "\${{ ${expression} }}"`, on)
    expect(flagged(text)).toEqual(isFound ? ['run'] : [])
  })

  test.each([
    ['issue_comment', ['run']],
    ['push', []],
  ])('a field that github-script reads from the payload under "on: %s": %j', (on, keys) => {
    const text = `      - uses: actions/github-script@v8
        id: read
        with: {script: "core.setOutput('text', context.payload.comment.body)"}
      - run: echo "\${{ steps.read.outputs.text }}"`
    expect(flagged(withStep(text, on))).toEqual(keys)
  })

  const COMMENT = 'context.payload.comment.body'
  /** The keys found after a github-script with this script. */
  const afterScript = (lines: readonly string[]) => {
    const script = lines.map((line) => `            ${line}\n`).join('')
    const uses = '      - uses: actions/github-script@v8\n        id: read\n'
    const use =
      '      - run: echo "${{ steps.read.outputs.result }} ${{ steps.read.outputs.text }}"'
    const text = `${uses}        with:\n          script: |\n${script}${use}`
    return flagged(withStep(text, 'issue_comment'))
  }

  test.each([
    [`return /^\\/deploy ([\\w-]+)$/.exec(${COMMENT})[1]`],
    [`return ${COMMENT}.match(/^deploy\\s+([a-z\\d/.-]+)\\s*$/i)?.[1]`],
    [
      'const regex = /^\\/backport to ([a-zA-Z\\d\\/\\.\\-\\_]+)/;',
      `target = regex.exec(${COMMENT});`,
      'if (target == null) throw "none";',
      'return target[1];',
    ],
    [
      `const body = ${COMMENT};`,
      'const [, name] = body.match(/#(\\d+)/) ?? []',
      "core.setOutput('text', name)",
    ],
    [
      `const m = (${COMMENT} || '').match(/(?:fix|feat)!? (v\\d+(?:\\.\\d+)*)/)`,
      'if (!m) return',
      "core.setOutput('text', m[1])",
    ],
    [`console.log(${COMMENT})`],
    [`if (${COMMENT} === 'a') { return }`, "return 'b'"],
  ])('but not a group of plain characters, or a fixed value: %j', (...lines) => {
    expect(afterScript(lines)).toEqual([])
  })

  test.each([
    [`return /^deploy (.+)$/.exec(${COMMENT})[1]`],
    [`return /^deploy ([^ ]+)$/.exec(${COMMENT})[1]`],
    [`return /^deploy ([A-z]+)$/.exec(${COMMENT})[1]`],
    [`return /^deploy ([\\w\\s]+)$/.exec(${COMMENT})[1]`],
    [`return /^.*(\\d+)$/.exec(${COMMENT})[0]`],
    [`return /^([\\w-]+) (.*)$/.exec(${COMMENT})[1]`],
    [`return ${COMMENT}.match(/([a-z]+)/g)[1]`],
    [`const m = /(\\d+)/.exec(${COMMENT})`, 'return m'],
    [`const m = /(\\d+)/.exec(${COMMENT})`, 'core.info(m[1])', 'return m.input'],
    [`const body = ${COMMENT}`, 'if (!/(\\d+)/.exec(body)[1]) throw "none"', 'return body'],
    [`const r = /(.*)/`, `return r.exec(${COMMENT})[1]`],
    [`const m = /(\\d+)/.exec(${COMMENT})`, "return m ?? ''"],
    [`const m = /(\\d+)/.exec(${COMMENT})`, 'core.info(m[1])', 'return [...m].join()'],
    [`const m = /(\\d+)/.exec(${COMMENT})`, 'if (m.some(run)) return m[1]'],
    ['const r = /(\\w+)/', `{ let r = /(.*)/s; return r.exec(${COMMENT})[1] }`],
    ['const r = /(\\w+)/', `const f = (r) => r.exec(${COMMENT})[1]`, 'return f(/(.*)/s)'],
    [`const labels = ${COMMENT}`, "return [...labels].join('')"],
    [`return 'a' + ${COMMENT}`],
  ])('a value that the sender chooses: %j', (...lines) => {
    expect(afterScript(lines)).toEqual(['run'])
  })

  test('a long script of brackets is read within seconds', () => {
    const start = performance.now()
    expect(
      afterScript([`${'[,'.repeat(7000)}`, ...Array(90).fill(`/a/.exec(${COMMENT})`)]),
    ).toBeDefined()
    expect(performance.now() - start).toBeLessThan(20_000)
  })

  test.each<[string, string, number[]]>([
    [
      'the names that it sets',
      'fs.appendFileSync(process.env.GITHUB_ENV, `A=${BODY}\\n` + `B=${BODY}`)',
      [9, 10],
    ],
    [
      'a name after a line break',
      'fs.appendFileSync(process.env.GITHUB_ENV, `B=${BODY}\\nC=${BODY}`)',
      [9, 11],
    ],
    [
      'a name that only the run knows',
      'fs.appendFileSync(process.env.GITHUB_ENV, `${name}=${BODY}`)',
      [9, 10, 11],
    ],
  ])('github-script that writes to $GITHUB_ENV: %s', (_, line, expected) => {
    const script = `      - uses: actions/github-script@v8
        with:
          script: |
            ${line.replaceAll('BODY', COMMENT)}
      - run: echo "\${{ env.A }}"
      - run: echo "\${{ env.C }}"`
    const found = findUntrusted(sourceFile(withStep(script, 'issue_comment')))
    expect(found.map(({ problem }) => problem.position?.line)).toEqual(expected)
  })

  test.each([
    // GitHub writes `Object` or `Array` for these.
    'on',
    'on.webhook',
    'on.webhook.outputs',
    'on.*.outputs',
    'github.event',
    'github.event.pull_request',
    'github.event.client_payload',
    'github.event.*.body',
    'github.event.commits.*.author.name',
    'github.actor',
    'github.event.action',
    'on.webhook.outcome',
    "on.webhook.outputs.body == 'a'",
    '!on.webhook.outputs.body',
    'contains(on.webhook.outputs.body, github.actor)',
    'inputs.name',
    'env.HOME',
    "'on.webhook.outputs.body'",
    'hashFiles(on.webhook.outputs.body)',
    "startsWith(on.webhook.outputs.body, 'a')",
    "endsWith(on.webhook.outputs.body, 'a')",
    'success()',
    '',
    "on.webhook.outputs.body.x && 'yes' || 'no'",
    'on.webhook.outputs.body.x && github.actor',
    'fromJSON(on.webhook.outputs.body.n) > 5',
    "case(on.webhook.outputs.body.a, 'a', 'b')",
    "fromJSON('{}')[on.webhook.outputs.body.a]",
    'github.event.issue.number',
    'github.event.pull_request.head.sha',
    'github.event.inputs.name',
    'github.ref_name',
    'github.sha',
    'steps.a.outputs.b',
    'needs.a.result',
    'matrix.os',
  ])('but not %s', (expression) => {
    expect(flagged(withStep(`      - run: echo "\${{ ${expression} }}"`))).toEqual([])
  })

  test.each([
    ['a script of an action', `      - uses: a/b@v1\n        with: {script: "${X}"}`, ['script']],
    ['two in one script', `      - run: echo ${X} ${X}`, ['run', 'run']],
    [
      'a variable of the step',
      `      - run: echo \${{ env.A }}\n        env: {A: "${X}"}`,
      ['run'],
    ],
    ['a text of an anchor', `      - env: {A: &q "${X}"}\n        run: *q`, ['run']],
    ['a step of an anchor, once', `      - &s {run: "echo ${X}"}\n      - *s`, ['run']],
    [
      'an env of an anchor',
      `      - env: &e {A: "${X}"}\n        run: a\n      - {env: *e, run: "\${{ env.A }}"}`,
      ['run'],
    ],
    [
      'a script of another tool',
      `      - uses: azure/CLI@v2\n        with: {inlineScript: "${X}"}`,
      ['inlineScript'],
    ],
    [
      'a command of another tool',
      `      - uses: nick-fields/retry@v3\n        with: {on_retry_command: "${X}"}`,
      ['on_retry_command'],
    ],
    ['no input of another name', `      - uses: a/b@v1\n        with: {text: "${X}"}`, []],
    [
      'no key that runs nothing',
      `      - run: x\n        shell: "${X}"\n        working-directory: "${X}"`,
      [],
    ],
    ['no variable as such', `      - run: echo "$A"\n        env: {A: "${X}"}`, []],
    ['no name', `      - run: x\n        name: "${X}"`, []],
  ])('%s', (_, step, expected) => {
    expect(flagged(withStep(step))).toEqual(expected)
  })

  test('input that passes through env, outputs, matrix and defaults', () => {
    const text = `on: webhook
env: {A: "${X}", B: safe}
jobs:
  a:
    runs-on: x
    env: {B: "\${{ env.A }}"}
    outputs: {o: "${X}", p: safe}
    steps: [{run: "echo \${{ env.A }}"}, {run: "echo \${{ env.B }}"}]
  b:
    needs: a
    runs-on: x
    env: {A: safe}
    outputs: {q: "\${{ needs.a.outputs.o }}"}
    strategy: {matrix: {m: "\${{ fromJSON(needs.a.outputs.o) }}"}}
    steps: [{run: "\${{ matrix.m }}"}, {run: "\${{ env.A }} \${{ env.B }} \${{ needs.a.outputs.p }}"}]
  c:
    needs: b
    runs-on: x
    steps: [{run: "\${{ matrix.m }}"}, {run: "\${{ toJSON(needs) }} \${{ needs.b.outputs.q }}"}]
`
    const places = findUntrusted(sourceFile(text)).map(({ problem }) => problem.position?.line)
    expect(places).toEqual([8, 8, 15, 19, 19])
  })

  test('with line and column', () => {
    const [finding] = findUntrusted(
      sourceFile(withStep(`      - run: |\n          echo\n          echo ${X}`)),
    )
    expect(finding?.problem.position).toMatchObject({ line: 8, column: 20, length: 25 })
  })
})

/** Steps of a job after the action; flagged lines are listed by number. */
describe('untrusted input is followed through steps', () => {
  const uses = '- {id: h, uses: Acme/Hookline@v1, with: {on: webhook}}'
  test.each<[string, string[], number[]]>([
    [
      'outputs of the action',
      [uses, '- run: echo ${{ fromJSON(steps.h.outputs.body).title }}'],
      [2],
    ],
    [
      'all of them',
      [uses, '- run: echo ${{ toJSON(steps) }} ${{ toJSON(steps.*.outputs.body) }}'],
      [2, 2],
    ],
    [
      'but not its own words',
      [uses, '- run: echo ${{ steps.h.outputs.count }} ${{ steps.h.outcome }}'],
      [],
    ],
    [
      'an output',
      [
        uses,
        '- id: s',
        '  env: {T: "${{ steps.h.outputs.body }}"}',
        '  run: echo "v=$T" >> $GITHUB_OUTPUT',
        '- run: ${{ steps.s.outputs.v }}',
      ],
      [5],
    ],
    [
      'but no output beside it',
      [
        uses,
        '- id: s',
        '  env: {T: "${{ steps.h.outputs.body }}"}',
        '  run: |',
        '    curl -d "$T" a',
        '    echo "v=1" >> $GITHUB_OUTPUT',
        '- run: ${{ steps.s.outputs.v }}',
      ],
      [],
    ],
    [
      'an output of the event file',
      [
        '- id: s',
        '  run: echo "v=$(jq .a "$GITHUB_EVENT_PATH")" >> $GITHUB_OUTPUT',
        '- run: ${{ steps.s.outputs.v }}',
      ],
      [3],
    ],
    [
      'no output that is a digest',
      [
        uses,
        '- id: s',
        '  env: {T: "${{ steps.h.outputs.body }}"}',
        '  run: echo "v=$(echo "$T" | sha256sum | cut -c 1-9) ${#T}" >> $GITHUB_OUTPUT',
        '- run: ${{ steps.s.outputs.w }}',
      ],
      [5],
    ],
    [
      'no output that is a count',
      [
        uses,
        '- id: s',
        '  env: {T: "${{ steps.h.outputs.body }}"}',
        '  run: echo "v=$(echo "$T" | wc -l) ${#T}" >> $GITHUB_OUTPUT',
        '- run: ${{ steps.s.outputs.v }}',
      ],
      [],
    ],
    [
      'an output by PowerShell',
      [
        uses,
        '- id: s',
        '  shell: pwsh',
        '  env: {T: "${{ steps.h.outputs.body }}"}',
        '  run: "\'v=\' + $env:T >> $env:GITHUB_OUTPUT"',
        '- run: ${{ steps.s.outputs.v }}',
      ],
      [6],
    ],
    [
      'an output of github-script',
      [
        '- id: s',
        '  uses: actions/github-script@v8',
        '  with: {script: "return context.payload.client_payload.body"}',
        '- run: ${{ steps.s.outputs.result }}',
      ],
      [4],
    ],
    [
      'an output of what changes it',
      [
        uses,
        '- id: s',
        '  uses: frabert/replace-string-action@v2',
        '  with: {string: "${{ steps.h.outputs.body }}"}',
        '- run: ${{ steps.s.outputs.replaced }}',
      ],
      [5],
    ],
    [
      'but not what another action makes of it',
      [
        uses,
        '- id: s',
        '  uses: a/b@v1',
        '  with: {title: "${{ steps.h.outputs.body }}"}',
        '- run: ${{ steps.s.outputs.number }}',
      ],
      [],
    ],
    [
      'a variable of later steps',
      [
        uses,
        '- env: {T: "${{ steps.h.outputs.body }}"}',
        '  run: echo "V=$T" >> $GITHUB_ENV',
        '- run: ${{ env.V }} ${{ env.W }}',
      ],
      [3, 4],
    ],
    [
      'a variable with a mark that nobody knows',
      [
        uses,
        '- env: {T: "${{ steps.h.outputs.body }}"}',
        '  run: |',
        '    E=$(uuidgen); { echo "V<<$E"; echo "$T"; echo "$E"; } >> $GITHUB_ENV',
        '- run: ${{ env.V }} ${{ env.W }}',
      ],
      [5],
    ],
    [
      'a variable of later steps, which is kept',
      [
        uses,
        '- env: {T: "${{ steps.h.outputs.body }}"}',
        '  run: echo "V=$T" >> $GITHUB_ENV',
        '- id: s',
        '  run: echo "v=$V" >> $GITHUB_OUTPUT',
        '- run: ${{ steps.s.outputs.v }}',
      ],
      [3, 6],
    ],
    [
      'a folder of programs',
      [uses, '- run: echo "$T" >> $GITHUB_PATH', '  env: {T: "${{ steps.h.outputs.body }}"}'],
      [2],
    ],
    [
      'but no variable as such',
      [uses, '- env: {T: "${{ steps.h.outputs.body }}"}', '  run: echo "$T" "${{ github.sha }}"'],
      [],
    ],
  ])('%s', (_, steps, expected) => {
    const text = `jobs:\n  a:\n    runs-on: x\n    steps:\n${steps.map((line) => `      ${line}\n`).join('')}`
    const lines = findUntrusted(lintedFile(text)).map(
      ({ problem }) => (problem.position?.line ?? 0) - 4,
    )
    expect(lines).toEqual(expected)
  })

  const T = `env: {T: "\${{ steps.h.outputs.body }}"}`
  const from = (lines: readonly string[]) => {
    const script = lines.map((line) => `          ${line}\n`).join('')
    const text = `jobs:\n  a:\n    runs-on: x\n    steps:\n      - {id: h, uses: ./}\n      - id: s\n        ${T}\n        run: |\n${script}      - run: \${{ steps.s.outputs.v }}\n`
    return findUntrusted(lintedFile(text)).length > 0
  }

  test.each([
    ['jq .a <<< "$T" > f', 'echo "v=$(<f)" >> $GITHUB_OUTPUT'],
    ['cat <<EOF >> $GITHUB_OUTPUT', 'v=$T', 'EOF'],
    ['f() { echo "v=$1"; }', 'f "$T" >> $GITHUB_OUTPUT'],
    ['out() { echo "$1=$2" >> "$GITHUB_OUTPUT"; }', 'out v "$T"'],
    ['mapfile -t a <<< "$T"', 'echo "v=${a[0]}" >> $GITHUB_OUTPUT'],
    ['a=("$T")', 'echo "v=${a[0]}" >> $GITHUB_OUTPUT'],
    ['echo "v=${Z:-$T}" >> $GITHUB_OUTPUT'],
    ['n=T', 'echo "v=${!n}" >> $GITHUB_OUTPUT'],
    ['echo "v=$(printenv T)" >> $GITHUB_OUTPUT'],
    ['node -p "\'v=\' + process.env.T" >> $GITHUB_OUTPUT'],
    [
      "python3 - <<'E'",
      'import os',
      'open(os.environ["GITHUB_OUTPUT"], "a").write(os.environ["T"])',
      'E',
    ],
    ['export v="$T"', 'echo "v=$v" | tee -a $GITHUB_OUTPUT'],
    ['echo "v=$T" >> $GITHUB_OUTPUT', 'if then'],
    ['[[ "$T" =~ ^v(.+)$ ]] && echo "v=${BASH_REMATCH[1]}" >> $GITHUB_OUTPUT'],
    ['echo "v=$T" | sudo tee -a "$GITHUB_OUTPUT"'],
    ["jq -nr '$ENV.T' >> $GITHUB_OUTPUT"],
    ['yq -n "strenv(T)" >> $GITHUB_OUTPUT'],
    [`/usr/bin/python3.12 -c 'import os; print("v=" + os.environ["T"])' >> $GITHUB_OUTPUT`],
    [`timeout 5 env bash -c 'echo "v=$T"' >> $GITHUB_OUTPUT`],
    [`uv run python -c 'import os; print(os.environ["T"])' >> $GITHUB_OUTPUT`],
    [`eval 'echo "v=$T"' >> $GITHUB_OUTPUT`],
    [`trap 'echo "v=$T" >> $GITHUB_OUTPUT' EXIT`],
    [`v=$(echo "$T" | tr -cd 'A-z0-9')`, 'echo "v=$v" >> $GITHUB_OUTPUT'],
  ])('an output by: %s', (...lines) => {
    expect(from(lines)).toBe(true)
  })

  test.each([
    ["cat <<'EOF' >> $GITHUB_OUTPUT", 'v=$T', 'EOF'],
    ['if [ "$T" = a ]; then echo v=1 >> $GITHUB_OUTPUT; fi'],
    ['case "$T" in a) v=1;; *) v=2;; esac', 'echo "v=$v" >> $GITHUB_OUTPUT'],
    ['echo "v=${T:+yes}" >> $GITHUB_OUTPUT'],
    ['echo "$T"', 'date +v=%s >> $GITHUB_OUTPUT'],
    ['{ set -x; echo v=1; } >> $GITHUB_OUTPUT'],
    ['node index.js "$T"', 'node -p 1 >> $GITHUB_OUTPUT'],
    [`v=$(echo "$T" | tr -cd 'A-Za-z0-9_ -')`, 'echo "v=$v" >> $GITHUB_OUTPUT'],
    ['sudo systemctl restart "$T"', 'echo v=1 | sudo tee -a $GITHUB_OUTPUT'],
    ['jq -nr 1 >> $GITHUB_OUTPUT'],
  ])('no output by: %s', (...lines) => {
    expect(from(lines)).toBe(false)
  })

  const RANDOM = 'd=$(openssl rand -hex 8)'
  test.each([
    [
      'a line beside it',
      [RANDOM, '{ echo "T=$T"; echo "B<<$d"; echo x; echo "$d"; } >> $GITHUB_ENV'],
    ],
    ['a mark that is known', ['d=EOF', '{ echo "B<<$d"; echo "$T"; echo "$d"; } >> $GITHUB_ENV']],
    [
      'a mark of the run',
      ['{ echo "B<<$GITHUB_RUN_ID"; echo "$T"; echo "$GITHUB_RUN_ID"; } >> $GITHUB_ENV'],
    ],
    ['the text as its own mark', ['{ echo "B<<$T"; echo x; echo "$T"; } >> $GITHUB_ENV']],
    [
      'a document with a line beside it',
      [RANDOM, 'cat >> $GITHUB_ENV <<EOF', 'B<<$d', 'a', '$d', 'T=$T', 'EOF'],
    ],
    [
      'a mark that is set anew',
      [RANDOM, 'd=EOF', '{ echo "B<<$d"; echo "$T"; echo "$d"; } >> $GITHUB_ENV'],
    ],
  ])('a variable, and more, by %s', (_, lines) => {
    expect(from(lines)).toBe(true)
  })

  test.each([
    ['a group', [RANDOM, '{ echo "B<<$d"; echo "$T"; echo "${d}"; } >> "$GITHUB_ENV"']],
    ['a document', [RANDOM, 'cat >> $GITHUB_ENV <<EOF', 'B<<$d', '$T', '$d', 'EOF']],
  ])('one variable alone by a random mark in %s', (_, lines) => {
    expect(from(lines)).toBe(false)
  })

  test('into other jobs: outputs, a matrix, a called workflow', () => {
    const text = `jobs:
  last:
    needs: [on, mid]
    runs-on: \${{ needs.on.outputs.os }}
    steps: [{run: "\${{ needs.mid.outputs.b }} \${{ needs.other.outputs.body }}"}]
  mid:
    needs: on
    strategy: {matrix: {on: "\${{ fromJSON(needs.on.outputs.items) }}", os: [a, b], include: [{e: "\${{ needs.on.outputs.body }}"}]}}
    runs-on: \${{ matrix.os }}
    outputs: {b: "\${{ matrix.on.webhook.outputs.body }}"}
    steps: [{run: "\${{ matrix.on.webhook.outputs.body }} \${{ matrix.e }} \${{ matrix.os }}"}]
  on:
    runs-on: x
    outputs: {items: "\${{ steps.h.outputs.items }}", body: "\${{ steps.h.outputs.body }}", os: "\${{ steps.h.outputs.count }}"}
    steps: [{id: h, uses: acme/hookline@v1}]
  call:
    needs: on
    uses: ./.github/workflows/x.yml
    with: {a: "\${{ needs.on.outputs.body }}"}
  called:
    needs: call
    runs-on: x
    steps: [{run: "\${{ needs.call.outputs.a }}"}]
`
    const lines = findUntrusted(lintedFile(text)).map(({ problem }) => problem.position?.line)
    expect(lines).toEqual([5, 11, 11, 23])
  })

  test('a strategy, or an item of its include, that is an expression as a whole', () => {
    const strategies = [
      'strategy: "${{ fromJSON(needs.on.outputs.items) }}"',
      'strategy: {matrix: {include: ["${{ fromJSON(needs.on.outputs.items)[0] }}", {os: a}]}}',
    ]
    const text = `jobs:
  on:
    runs-on: x
    outputs: {items: "\${{ steps.h.outputs.items }}"}
    steps: [{id: h, uses: acme/hookline@v1}]
${strategies.map((strategy, at) => `  j${at}:\n    needs: on\n    ${strategy}\n    runs-on: x\n    steps: [{run: "\${{ matrix.body }}"}]\n`).join('')}`
    const lines = findUntrusted(lintedFile(text)).map(({ problem }) => problem.position?.line)
    expect(lines).toEqual([10, 15])
  })

  test('an output of a job that is a variable of its last step', () => {
    const text = `jobs:
  a:
    runs-on: x
    outputs: {o: "\${{ env.V }}"}
    steps: [{run: 'echo "V=\${{ github.head_ref }}" >> $GITHUB_ENV', shell: bash}]
  b: {needs: a, runs-on: x, steps: [{run: "\${{ needs.a.outputs.o }}"}]}
`
    const lines = findUntrusted(lintedFile(text)).map(({ problem }) => problem.position?.line)
    expect(lines).toEqual([5, 6])
  })
})

describe('steps in "parallel:" are steps', () => {
  const file = (steps: string) => lintedFile(`jobs: {a: {runs-on: x, steps: [${steps}]}}`)
  const hook = '{id: h, uses: acme/hookline@v1}'
  const run = '{run: "${{ steps.h.outputs.body }}"}'
  const write = `{id: s, env: {T: "\${{ steps.h.outputs.body }}"}, run: 'echo "v=$T" >> $GITHUB_OUTPUT'}`

  test.each([
    ['that runs what came before', `${hook}, {parallel: [{run: a}, ${run}]}`, ['run']],
    ['that uses the action', `{parallel: [{run: a}, ${hook}]}, ${run}`, ['run']],
    [
      'whose outputs are read later',
      `${hook}, {parallel: [${write}]}, {run: "\${{ steps.s.outputs.v }}"}`,
      ['run'],
    ],
    ['of a group in a group', `${hook}, {parallel: [{parallel: [${run}]}]}`, ['run']],
    [
      'that only reads',
      `${hook}, {parallel: [{run: a, env: {T: "\${{ steps.h.outputs.body }}"}}]}`,
      [],
    ],
  ])('one %s', (_, steps, expected) => {
    expect(findUntrusted(file(steps)).map(({ key }) => key)).toEqual(expected)
  })

  test.each([
    ['a group that holds itself', '&a {parallel: [*a]}'],
    [
      'groups that are many by aliases',
      `&a {parallel: [${'{run: a}, '.repeat(200)}]}, ${'*a, '.repeat(200)}`,
    ],
  ])('%s ends as an error', (_, steps) => {
    expect(() => findUntrusted(file(steps))).toThrow('a job has more than 20000 steps')
  })
})

describe('inputs of actions', () => {
  const given = (uses: string, inputs: readonly string[]) =>
    withStep(
      `      - uses: ${uses}\n        with: {${inputs.map((input) => `${input}: "${X}"`).join(', ')}}`,
    )
  const codes = (text: string) => findUntrusted(sourceFile(text)).map(({ problem }) => problem.code)

  test.each([
    ['anthropics/claude-code-action@v1', ['claude_args']],
    ['cloudflare/wrangler-action@v3', ['command', 'preCommands', 'postCommands']],
    ['devcontainers/ci@v0.3', ['runCmd']],
    ['EndBug/add-and-commit@v9', ['add', 'commit']],
    ['gradle/actions/setup-gradle@v3', ['arguments']],
    ['nick-fields/retry@v3', ['command', 'on_retry_command']],
    ['stefanzweifel/git-auto-commit-action@v5', ['commit_options']],
    ['vmactions/freebsd-vm@v1', ['prepare', 'run']],
    ['acme/other@v1', ['script', 'inline-script']],
  ])('that are executed: %s %j', (uses, inputs) => {
    expect(codes(given(uses, inputs))).toEqual(inputs.map(() => 'script-injection'))
  })

  test.each([
    ['actions/cache@v4', ['key', 'path', 'restore-keys']],
    ['actions/checkout@v5', ['ref', 'repository', 'github-server-url']],
    ['docker/build-push-action@v6', ['file', 'context', 'tags']],
    ['docker://alpine', ['args', 'entrypoint']],
    ['hookline/hookline@v1', ['on', 'telegram-api-url', 'workflow', 'state']],
    [
      'hookline/hookline/reply@v1',
      ['telegram-api-url', 'slack-response-url', 'slack-api-url', 'discord-url', 'file'],
    ],
    ['acme/other@v1', ['key', 'path', 'slack-response-url', 'add']],
  ])('that can decide where secrets go: %s %j', (uses, inputs) => {
    expect(codes(given(uses, inputs))).toEqual(inputs.map(() => 'untrusted-input'))
  })

  test.each([
    ['hookline/hookline/reply@v1', ['text', 'buttons', 'edit', 'to']],
    ['acme/other@v1', ['title', 'body', 'commit-message', 'issue-number']],
    ['mikefarah/yq@v4', ['cmd-of-any-name']],
  ])('that accept text: %s %j', (uses, inputs) => {
    expect(codes(given(uses, inputs))).toEqual([])
  })

  test('that get a field of an event of GitHub are not reported', () => {
    const text = withStep(
      '      - uses: actions/checkout@v6\n        with: {ref: "${{ github.head_ref }}"}',
    )
    expect(codes(text)).toEqual([])
  })
})

describe('is linear in the file, and bounded:', () => {
  const steps = (run: string) =>
    `jobs:\n  a:\n    runs-on: x\n    steps:\n      - run: ${JSON.stringify(run)}\n`
  const chain = (length: number) =>
    `jobs:\n${Array.from({ length }, (_, at) => {
      const value = at === 0 ? X : `\${{ needs.j${at - 1}.outputs.o }}`
      const needs = at === 0 ? '[]' : `j${at - 1}`
      return `  j${at}: {needs: ${needs}, runs-on: x, outputs: {o: "${value}"}, steps: [{run: "${value}"}]}\n`
    }).join('')}`

  test.each<[string, string, number]>([
    ['a thousand expressions in a line', steps(`echo ${X.repeat(1000)}`), 100],
    ['jobs in a chain, a thousand at full effort', chain(200), 100],
    ['28,000 empty expressions', steps('${{}}'.repeat(28_000)), 0],
    ['5,000 brackets', steps(`${'$('.repeat(5000)}${X}`), 1],
    [
      'an expression that is nested deeply',
      steps(`\${{ ${'('.repeat(9000)}on${')'.repeat(9000)} }}`),
      0,
    ],
    [
      'steps that are many by aliases',
      `jobs:\n  a: &a\n    steps:\n${`      - run: ${X}\n`.repeat(100)}${Array.from({ length: 20 }, (_, at) => `  b${at}: *a\n`).join('')}`,
      100,
    ],
  ])('%s', (_, text, count) => {
    const file = lintedFile(text)
    expect(untrustedFindings(flowOf(file, undefined))).toHaveLength(count)
    expect(() => fixUntrusted(file)).not.toThrow()
  })

  test('too many steps by an alias are an error', () => {
    const text = `jobs:\n  a: &a\n    steps:\n${'      - run: a\n'.repeat(3000)}${Array.from({ length: 20 }, (_, at) => `  b${at}: *a\n`).join('')}`
    expect(() => findUntrusted(lintedFile(text))).toThrow('has more than 20000 steps')
  })

  test('the last of those shown says how many more there are', () => {
    const file = lintedFile(steps(`echo ${X.repeat(150)}`))
    const problems = untrustedFindings(flowOf(file, undefined))
    expect(problems.at(-1)?.problem.notes).toEqual(['and 50 more in this file'])
  })
})
