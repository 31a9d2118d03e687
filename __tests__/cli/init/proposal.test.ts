import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { parse } from 'yaml'
import { agentKind } from '../../../src/cli/init/agent.ts'
import { readPaths } from '../../../src/cli/init/proposal.ts'

const [{ text = '' } = {}] =
  agentKind('claude')?.files({
    kind: 'agent',
    name: 'agent',
    repository: 'octo/repo',
    relay: 'https://relay.example.com',
  }) ?? []
const { jobs } = parse(text)
/** The steps as `init` writes them: the last but one of `work` packs, the last of `propose` proposes. */
const PACK = jobs.work.steps.at(-2)
const PROPOSE = jobs.propose.steps.at(-1)

const GIT = 'git -c user.name=a -c user.email=a@example.com -c protocol.file.allow=always'

/** The repository before the agent: it has a link, a submodule, an executable file and instruction files. */
const BASE = `git init -q -b main work && cd work
mkdir -p .github/workflows src/inner docs
echo x | tee .github/workflows/x.yml package.json CLAUDE.md event.json src/a.ts src/b.ts src/CLAUDE.md \\
  src/inner/AGENTS.md src/inner/x.ts src/tool.sh docs/page.md docs/日本.md > /dev/null
chmod +x src/tool.sh && ln -s a.ts src/link && mkdir src/vendor && git add -A
git update-index --add --cacheinfo 160000,1234567890123456789012345678901234567890,src/vendor
${GIT} commit -qm all && git clone -q --bare . ../origin`

let folder = ''
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'hookline-proposal-'))
  const made = spawnSync('bash', ['-e', '-c', BASE], { cwd: folder, encoding: 'utf8' })
  if (made.status !== 0) throw new Error(made.stderr)
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

interface Proposed {
  readonly status: number | null
  /** The changes of the pushed branch, as `A src/x`, separated by `|`; `undefined` if none was pushed. */
  readonly changes: string | undefined
  readonly stderr: string
  readonly log: string
  readonly summary: string
  /** True if a program that the agent wrote ran after the agent had ended. */
  readonly isTrapped: boolean
}

let runs = 0

/** Runs the written steps after a change, with the stand-in `gh`. */
function propose(change: string, { gh = 'exit 0', env = {} } = {}): Proposed {
  const own = join(folder, `run-${++runs}`)
  const [work, fresh, temp, bin] = ['work', 'fresh', 'temp', 'bin'].map((name) => join(own, name))
  for (const each of [temp, bin, join(own, 'home')]) mkdirSync(each ?? '', { recursive: true })
  cpSync(join(folder, 'work'), work ?? '', { recursive: true, verbatimSymlinks: true })
  cpSync(join(folder, 'work'), fresh ?? '', { recursive: true, verbatimSymlinks: true })
  writeFileSync(join(bin ?? '', 'gh'), `#!/bin/bash\n${gh}\n`)
  chmodSync(join(bin ?? '', 'gh'), 0o755)
  const summary = join(own, 'summary')
  const bash = (script: string, cwd = '', more: object = {}, shell = 'bash -e {0}') => {
    const file = join(own, 'script.sh')
    writeFileSync(file, script.replaceAll('${{ runner.temp }}', temp ?? ''))
    return spawnSync('/bin/sh', ['-c', shell.replace('{0}', file)], {
      cwd,
      encoding: 'utf8',
      timeout: 60_000,
      env: {
        ...{ PATH: `${bin}:${process.env.PATH}`, HOME: join(own, 'home'), RUNNER_TEMP: temp },
        ...{ GITHUB_RUN_ID: String(runs), GITHUB_RUN_ATTEMPT: '1', GITHUB_STEP_SUMMARY: summary },
        ...{ GITHUB_SERVER_URL: 'https://github.example', GITHUB_REPOSITORY: 'octo/repo' },
        ...more,
      },
    })
  }
  const changed = bash(change, work)
  expect([changed.status, changed.stderr]).toEqual([0, ''])
  const packed = bash(PACK.run, work, env, PACK.shell)
  expect([packed.status, packed.stderr]).toEqual([0, ''])
  // The next job runs on another machine: only the archive reaches it.
  rmSync(join(own, 'home'), { recursive: true })
  bash(`git remote add origin '${join(folder, 'origin')}'`, fresh)
  const { status, stdout: log, stderr } = bash(PROPOSE.run, fresh, { PATHS: PROPOSE.env.PATHS })
  const listed = bash(
    `git -c core.quotePath=false diff-tree -r --no-renames --name-status main agent/${runs}-1`,
    join(folder, 'origin'),
  )
  const changes = listed.stdout.trim().replaceAll('\t', ' ').replaceAll('\n', '|')
  const result = {
    status,
    changes: listed.status === 0 ? changes : undefined,
    ...{ stderr, log, summary: existsSync(summary) ? readFileSync(summary, 'utf8') : '' },
    isTrapped: existsSync(join(temp ?? '', 'trap.ran')),
  }
  rmSync(own, { recursive: true })
  return result
}

const write = (path: string) => `mkdir -p "$(dirname ${path})" && echo evil > ${path}`

/** Changes of an agent, as commands. The script must keep each change off the branch. */
const HOSTILE: readonly (readonly [reason: string, change: string])[] = [
  // Outside the allowed paths.
  ['a workflow', write('.github/workflows/new.yml')],
  ['a changed workflow', write('.github/workflows/x.yml')],
  ['a deleted workflow', 'rm .github/workflows/x.yml'],
  ['the instructions at the root', write('CLAUDE.md')],
  ['new instructions at the root', write('AGENTS.md')],
  ['the package', write('package.json')],
  ['a source of a workflow', write('workflows/new.yml')],
  ['servers of tools', write('.mcp.json')],
  ['tasks of an editor', write('.vscode/tasks.json')],
  ['the event', write('event.json')],
  ['another case of an allowed folder', write('SRC/x.ts')],
  ['an allowed folder with a space', write("'src /x.ts'")],
  ['an allowed folder in a folder', write('other/src/x.ts')],
  ['a longer name than an allowed folder', write('src2/x.ts')],
  ['a path with a backslash', write("'src\\x.ts'")],
  ['a link in place of an allowed folder', 'ln -s .github lib; echo evil > lib/workflows/y.yml'],
  // Instruction files in allowed folders.
  ['changed instructions', write('src/CLAUDE.md')],
  ['deleted instructions', 'rm src/CLAUDE.md'],
  ['instructions in lower case', write('docs/claude.md')],
  ['instructions in mixed case', write('src/deep/er/cLaUdE.mD')],
  ['local instructions', write('docs/claude.local.md')],
  ['instructions of all agents', write('src/deep/AGENTS.md')],
  ['overriding instructions', write('src/AGENTS.override.md')],
  ['instructions of one agent', write('src/Agent.md')],
  ['instructions of Gemini', write('docs/GEMINI.md')],
  ['instructions of Copilot', write('docs/Copilot-Instructions.md')],
  ['instructions for some files', write('docs/all.instructions.md')],
  ['a prompt', write('docs/review.PROMPT.md')],
  ['a mode of a chat', write('docs/x.chatmode.md')],
  ['a skill', write('docs/skills/evil/SKILL.md')],
  ['servers of tools, in upper case', write('src/MCP.JSON')],
  ['settings of an agent', write('src/opencode.json')],
  [
    'a folder with the name of instructions',
    'rm src/CLAUDE.md; mkdir src/CLAUDE.md; echo x > src/CLAUDE.md/x',
  ],
  // Names that begin with a dot.
  ['settings of Claude', write('src/.claude/settings.json')],
  ['settings of Claude in upper case', write('src/.CLAUDE/settings.json')],
  ['workflows in a subfolder', write('src/.github/workflows/x.yml')],
  ['servers of tools in a subfolder', write('src/.mcp.json')],
  ['rules of Cursor', write('src/.cursorrules')],
  ['a folder of rules', write('docs/.cursor/rules/a.mdc')],
  ['attributes of git', write('src/.gitattributes')],
  ['modules of git', write('src/.gitmodules')],
  ['settings of npm', write('src/.npmrc')],
  ['variables of a shell', write('src/.envrc')],
  // Links, submodules and modes.
  ['a link to instructions', 'ln -s ../CLAUDE.md src/notes.md'],
  ['an absolute link', 'ln -s /etc/passwd src/users'],
  ['a link in place of a file', 'ln -sf ../.github/workflows/x.yml src/a.ts'],
  ['another target of a link', 'ln -sfn ../CLAUDE.md src/link'],
  ['a deleted link', 'rm src/link'],
  ['a file in place of a link', 'rm src/link; echo evil > src/link'],
  ['a new executable file', 'echo evil > src/run; chmod +x src/run'],
  ['a file that becomes executable', 'chmod +x src/a.ts'],
  ['an executable file in place of a file', 'rm src/b.ts; cp src/tool.sh src/b.ts'],
  ['a deleted submodule', 'rm -rf src/vendor'],
  ['a file in place of a submodule', 'rm -rf src/vendor; echo evil > src/vendor'],
  ['a pipe', 'mkfifo src/pipe'],
  ['a pipe that git would read', 'mkfifo .gitignore src/.gitignore'],
  // Names that look like others, or become others on other systems.
  ['full-width letters', write('src/ＣＬＡＵＤＥ.md')],
  ['an invisible character', write("$'src/CLAUDE\\u200d.md'")],
  ['an invisible character before a dot', write("$'src/\\u200c.github/x.yml'")],
  ['a long s, which is an s in another case', write('src/AGENTſ.md')],
  ['the sign of Kelvin, which is a k in another case', write("$'docs/S\\u212aILL.md'")],
  ['a combining accent', write("$'src/CLAUDE\\u0301.md'")],
  ['reversed text', write("$'src/\\u202edm.EDUALC'")],
  ['a dot at the end, which Windows ignores', write('src/CLAUDE.md.')],
  ['a space at the end, which Windows ignores', write("'src/CLAUDE.md '")],
  ['a dot at the end of a folder', write('src/x./y.ts')],
  ['a stream of Windows', write("'src/CLAUDE.md::$DATA'")],
  ['a short name of Windows', write("'src/CLAUDE~1.MD'")],
  ['a backslash', write("'src/x\\..\\CLAUDE.md'")],
  ['a new line', write("$'src/a\\n.github'")],
  ['a control character', write("$'src/\\x01.ts'")],
  ['bytes that are no UTF-8', write("$'src/\\xff.ts'")],
  ["git's own folder", write('src/sub/.git/config')],
]

/** Changes that the summary does not list: git knows no pipes, and each agent has an event. */
const UNLISTED = /mkfifo|sub\/\.git|event\.json/

/** Each run makes every sixth change, because a run takes seconds and neighbors exclude each other. */
test.each([0, 1, 2, 3, 4, 5])('the branch contains no hostile change of group %i', (group) => {
  const changes = HOSTILE.filter((_, at) => at % 6 === group).map(([, change]) => change)
  const proposed = propose([...changes, 'echo ok > src/ok.ts'].join('\n'))
  expect(proposed).toMatchObject({ status: 0, changes: 'A src/ok.ts', stderr: '' })
  expect(proposed.log).toContain('not allowed')
  const listed = proposed.summary.match(/^ {4}\S.*$/gm) ?? []
  const expected = changes.filter((change) => !UNLISTED.test(change))
  expect(listed.length).toBeGreaterThanOrEqual(expected.length)
})

test('there are at least 60 hostile changes', () => {
  expect(HOSTILE.length).toBeGreaterThanOrEqual(60)
})

/** Changes for which git, or the script, refuses everything. */
test.each([
  ['another case of .git', write('src/.GIT/config')],
  ['a short name of .git', write("'src/git~1/config'")],
  ['a file in place of a folder with instructions', 'rm -r src/inner; echo evil > src/inner'],
])('the job fails and pushes nothing for %s', (_, change) => {
  const { status, changes } = propose(`${change}\necho ok > src/ok.ts`)
  expect({ failed: status !== 0, changes }).toEqual({ failed: true, changes: undefined })
})

/** Files of an agent that run programs when a later step calls git or starts a shell. */
const TRAPS = `
trap="$RUNNER_TEMP/trap"
printf '#!/bin/sh\\ntouch "%s.%s"\\ncat 2>/dev/null\\n' "$trap" ran > "$trap" && chmod +x "$trap"
for name in git tar bash; do cp "$trap" "$name"; done
for config in .git/config "$HOME/.gitconfig" sub/.git/config; do
  mkdir -p "$(dirname "$config")" .hooks
  printf '[core]\\n\\tfsmonitor = %s\\n\\thooksPath = %s\\n[filter "x"]\\n\\tclean = %s\\n\\tprocess = %s\\n[diff]\\n\\texternal = %s\\n[alias]\\n\\tapply = !%s\\n' \\
    "$trap" "$PWD/.hooks" "$trap" "$trap" "$trap" "$trap" >> "$config"
done
for hook in pre-commit post-index-change pre-push; do cp "$trap" ".hooks/$hook"; cp "$trap" ".git/hooks/$hook"; done
mkdir -p sub/.git/objects sub/.git/refs && echo 'ref: refs/heads/main' > sub/.git/HEAD && echo x > sub/x
printf '* filter=x diff=x\\n' > .gitattributes
printf 'touch "%s.ran"\\n' "$trap" > "$RUNNER_TEMP/env"
echo fix > src/a.ts`

/** Changes that are allowed, as a whole or in part. */
test.each([
  [
    'files',
    'echo b > src/a.ts; rm src/b.ts; mkdir docs/new; echo x > "docs/new/[id] (1).md"',
    'A docs/new/[id] (1).md|M src/a.ts|D src/b.ts',
  ],
  ['a change of an executable file', 'echo b > src/tool.sh', 'M src/tool.sh'],
  ['a file that is no longer executable', 'chmod -x src/tool.sh', 'M src/tool.sh'],
  ['a change of an existing name in another script', 'echo b > docs/日本.md', 'M docs/日本.md'],
  [
    'a file in place of a folder',
    'rm -r docs/*; mkdir -p tests/a; echo x > tests/a/x',
    'D docs/page.md|D docs/日本.md|A tests/a/x',
  ],
  [
    'a renamed workflow as a source file',
    'git mv .github/workflows/x.yml src/x.yml',
    'A src/x.yml',
  ],
  ['renamed instructions as a source file', 'git mv src/CLAUDE.md src/notes.md', 'A src/notes.md'],
  [
    'a source file that becomes a workflow',
    'git mv src/a.ts .github/workflows/a.yml',
    'D src/a.ts',
  ],
  ['the files of a nested repository', 'git init -q src/sub; echo x > src/sub/x', 'A src/sub/x'],
  ['a hard link, as a file', 'ln CLAUDE.md src/notes.md', 'A src/notes.md'],
  [
    'an allowed folder that becomes a link',
    'mv docs .github/docs; ln -s .github/docs docs',
    'D docs/page.md|D docs/日本.md',
  ],
])('the branch contains %s', (_, change, changes) => {
  const proposed = propose(change)
  expect(proposed).toMatchObject({ status: 0, stderr: '', changes })
})

test('no setting of git or of the shell that the agent left behind runs a program', () => {
  const proposed = propose(TRAPS, {
    env: { BASH_ENV: '${{ runner.temp }}/env', PATH: `./:${process.env.PATH}` },
  })
  expect(proposed).toMatchObject({ status: 0, stderr: '', changes: 'M src/a.ts', isTrapped: false })
})

test('without a change there is no branch', () => {
  expect(propose(':')).toMatchObject({ status: 0, changes: undefined, summary: '' })
})

test('the job opens a draft pull request', () => {
  const proposed = propose('echo b > src/a.ts', { gh: 'echo "gh $*"' })
  expect(proposed.log).toContain(
    `gh pr create --draft --fill --head agent/${runs}-1 --body By https://github.example/octo/repo/actions/runs/${runs}`,
  )
  expect(proposed.summary).toBe('')
})

test('if GitHub refuses the pull request, the job shows the link that opens one', () => {
  const refusal = 'GitHub Actions is not permitted to create or approve pull requests'
  const proposed = propose('echo b > src/a.ts', { gh: `echo '${refusal}' >&2; exit 1` })
  expect(proposed).toMatchObject({ status: 0, changes: 'M src/a.ts' })
  const link = `https://github.example/octo/repo/compare/agent/${runs}-1?expand=1`
  expect(proposed.log).toContain(link)
  expect(proposed.summary).toContain(`[Open a pull request](${link})`)
})

test('the summary shows the name of a refused file as text', () => {
  const { summary, log } = propose(write("$'src/a\\n::error::x\\n# [b](evil).ts'"))
  expect(summary).toContain("    $'src/a\\n::error::x\\n# [b](evil).ts'\n")
  expect(log).not.toContain('evil')
})

test.each([
  ['src/**', ['src/**']],
  ['src/**, README.md ,packages/web-app/**', ['src/**', 'README.md', 'packages/web-app/**']],
  ['*.go,cmd/*.go', ['*.go', 'cmd/*.go']],
  ['', undefined],
  ['**', undefined],
  ['/src/**', undefined],
  ['../x', undefined],
  ['src/../x', undefined],
  ['.github/**', undefined],
  ['src/.claude/**', undefined],
  [':(exclude)src', undefined],
  ['src/**\nevil: true', undefined],
  ['src/${{ x }}', undefined],
] as const)('the paths %j are %j', (list, paths) => {
  expect(readPaths(list)).toEqual(paths)
})
