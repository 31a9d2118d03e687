import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { bareScript, parseScript, yamlScript } from './baseline.js'
import { compared, cpu, interleave, median } from './processes.js'

/** @typedef {import('./processes.js').Variant} Variant */
/** @typedef {import('./report.js').Row} Row */

const cli = fileURLToPath(new URL('../dist/cli/index.js', import.meta.url))

const RATIOS = [
  { what: '`check`, 1,000 workflow files : bare node', of: 'check', to: 'bare' },
  { what: '`check`, 1,000 files that are not built yet : bare node', of: 'new', to: 'bare' },
  {
    what: '`check`, 1,000 files without the action : parsing them',
    of: 'natives',
    to: 'parse',
    atMost: 2,
  },
  {
    what: '`check`, 1,000 files with the action : parsing each once',
    of: 'using',
    to: 'parseUsing',
    atMost: 2,
  },
  { what: '`build`, 1,000 workflow files : `check`', of: 'build', to: 'check' },
  { what: '`check`, 400 jobs in a chain : 200', of: 'chain400', to: 'chain200', atMost: 2.5 },
  { what: '`check`, 1,000 expressions in a line : one', of: 'line', to: 'one' },
]

/**
 * Processor time of the compiler's commands, from the start of the process to its end.
 *
 * @param {string} folder an empty folder
 * @param {number} rounds
 * @returns {Promise<Row[]>}
 */
export async function measureCompiler(folder, rounds) {
  if (!existsSync(cli)) throw new Error('dist/cli is missing: run "npm run build"')
  const many = layFiles(
    `${folder}/many`,
    Array.from({ length: 1_000 }, () => WORKFLOW),
  )
  /** @type {(cwd: string, ...args: string[]) => Variant} */
  const command = (cwd, ...args) => ({ script: cli, args, cwd })
  const natives = layNatives(`${folder}/natives`, 1_000, NATIVE)
  const using = layUsing(`${folder}/using`)
  const variants = new Map([
    ['bare', { script: await bareScript(folder) }],
    ['parse', { script: await yamlScript(folder), cwd: natives }],
    ['natives', command(natives, 'check')],
    ['parseUsing', { script: await parseScript(folder), cwd: using }],
    ['using', command(using, 'check')],
    ['check', command(many, 'check')],
    ['new', command(many, 'check', 'workflows/*.yml')],
    ['build', command(many, 'build')],
    ['chain200', command(layFiles(`${folder}/chain200`, [chain(200)]), 'check')],
    ['chain400', command(layFiles(`${folder}/chain400`, [chain(400)]), 'check')],
    ['one', command(layFiles(`${folder}/one`, [line(1)]), 'check')],
    ['line', command(layFiles(`${folder}/line`, [line(1_000)]), 'check')],
  ])
  const times = interleave(variants, rounds, cpu)
  return RATIOS.map(({ what, of, to, atMost }) => {
    const [figures = [], base = []] = [times.get(of), times.get(to)]
    const detail = `${median(figures).toFixed(0)} ms : ${median(base).toFixed(0)} ms`
    const row = { what, ...compared(figures, base), detail }
    return atMost === undefined ? row : { ...row, atMost }
  })
}

/** @param {string} folder @param {readonly string[]} texts @param {string} name */
function layFiles(folder, texts, name = 'w') {
  mkdirSync(`${folder}/workflows`, { recursive: true })
  for (const [at, text] of texts.entries()) {
    writeFileSync(`${folder}/workflows/${name}${at}.yml`, text)
  }
  return folder
}

/** Workflows of GitHub. @param {string} folder @param {number} count @param {string} text */
function layNatives(folder, count, text) {
  mkdirSync(`${folder}/.github/workflows`, { recursive: true })
  for (let at = 0; at < count; at++) {
    writeFileSync(`${folder}/.github/workflows/w${at}.yml`, text.replace('Tests', `Tests ${at}`))
  }
  return folder
}

/**
 * A repository with 500 native workflows, 250 sources, and their 250 compiled files.
 *
 * @param {string} folder
 */
function layUsing(folder) {
  layNatives(folder, 500, USING)
  layFiles(
    folder,
    Array.from({ length: 250 }, (_, at) => WORKFLOW.replace('Orders', `Orders ${at}`)),
    'source',
  )
  execFileSync(process.execPath, [cli, 'build'], { cwd: folder, stdio: 'ignore' })
  return folder
}

const NATIVE = `name: Tests
on:
  push:
    branches: [main]
  pull_request:
env:
  CI: true
jobs:
  test:
    runs-on: \${{ matrix.os }}
    strategy:
      fail-fast: false
      matrix:
        os: [ubuntu-latest, macos-latest, windows-latest]
        node: [20, 22, 24]
        include:
          - {os: ubuntu-latest, node: 24, coverage: true}
    steps:
      - uses: actions/checkout@v5
      - uses: actions/setup-node@v5
        with:
          node-version: \${{ matrix.node }}
      - id: cache
        uses: actions/cache@v5
        with:
          path: node_modules
          key: \${{ runner.os }}-\${{ matrix.node }}-\${{ hashFiles('package-lock.json') }}
      - if: steps.cache.outputs.cache-hit != 'true'
        run: npm ci
      - run: npm test
      - if: matrix.coverage
        env:
          TOKEN: \${{ secrets.COVERAGE_TOKEN }}
        run: |
          npm run coverage
          npx upload --token "$TOKEN" --branch "$GITHUB_REF_NAME"
  release:
    needs: test
    if: github.event_name == 'push' && contains(github.event.head_commit.message, '[release]')
    runs-on: ubuntu-latest
    permissions:
      contents: write
    steps:
      - uses: actions/checkout@v5
      - name: Publish
        env:
          GH_TOKEN: \${{ github.token }}
        run: |
          version=$(node -p "require('./package.json').version")
          gh release create "v$version" --generate-notes
`

/** The same workflow with the action, and a job that reads its outputs. */
const USING = NATIVE.replace(
  'on:\n  push:',
  'on:\n  repository_dispatch:\n    types: [webhook]\n  push:',
)
  .replace(
    'jobs:\n',
    `jobs:
  on:
    runs-on: ubuntu-latest
    outputs:
      on: \${{ steps.hookline.outputs.on }}
      triggered: \${{ steps.hookline.outputs.triggered }}
    steps:
      - uses: hookline/hookline@v1
        id: hookline
        with:
          on: |
            webhook: {method: post}
`,
  )
  .replace('    needs: test\n', '    needs: [on, test]\n')
  .replace(
    "if: github.event_name == 'push' && contains(",
    "if: needs.on.outputs.triggered != 'true' && contains(",
  )
  .replace(
    'github.token }}',
    "github.token }}\n          TAG: ${{ fromJSON(needs.on.outputs.on || '{}').webhook.outputs.body.tag }}",
  )

const WORKFLOW = `name: Orders
on:
  push:
    branches: [main]
  webhook:
    method: post

jobs:
  test:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - run: make test
  deploy:
    needs: test
    if: on.webhook.outcome == 'success'
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - run: make deploy
        env:
          ORDER: \${{ on.webhook.outputs.body.id }}
`

/** @param {number} count */
function chain(count) {
  const jobs = Array.from({ length: count }, (_, at) => {
    const needs = at > 0 ? `    needs: j${at - 1}\n` : ''
    return `  j${at}:\n${needs}    runs-on: ubuntu-latest\n    steps:\n      - run: make\n`
  })
  return `on: [push, webhook]\njobs:\n${jobs.join('')}`
}

/** @param {number} count */
function line(count) {
  const text = '${{ on.webhook.outputs.body }} '.repeat(count)
  return `on: webhook\nenv:\n  A: ${text}\n${chain(1).replace(/^on: .*\n/, '')}`
}
