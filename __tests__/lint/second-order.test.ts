import { describe, expect, test } from '@jest/globals'
import { findUntrusted, lintedFile, step, X } from './support/untrusted.ts'

const file = (steps: string) =>
  lintedFile(`on: webhook\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n${steps}\n`)
/** The number of findings in a script with untrusted input in its variable `N`. */
const count = (script: string, more = 'shell: bash') =>
  findUntrusted(file(`${step(script)}\n        ${more}\n        env:\n          N: ${X}`)).length

describe('a variable in a second interpreter is reported:', () => {
  test.each([
    'ssh host "deploy $N"',
    'ssh -i key -p 22 user@host deploy "$N"',
    'ssh host <<EOF\ndeploy $N\nEOF',
    'sh -c "deploy $N"',
    'sudo bash -ec "deploy $N"',
    'echo "$N" | xargs -I{} sh -c "deploy {}"',
    'xargs -I % bash -c "deploy %" <<< "$N"',
    'echo "$N" | parallel "deploy {}"',
    'docker exec app sh -c "deploy $N"',
    'kubectl exec pod -- bash -c "deploy $N"',
    'find . -name x -exec sh -c "deploy $N" \\;',
    'su - app -c "deploy $N"',
    'trap "echo $N" EXIT',
    'watch "deploy $N"',
    'psql -c "select \'$N\'"',
    'psql --command="select \'$N\'"',
    'psql <<< "select \'$N\'"',
    'mysql -e "select \'$N\'"',
    'sqlite3 a.db "select \'$N\'"',
    'echo "select \'$N\'" | sqlite3 a.db',
    'python -c "print(\'$N\')"',
    'python3 -c \'import os; os.system(os.environ["N"])\'',
    "python3 - <<'E'\nimport os, subprocess\nn = os.environ['N']\nsubprocess.run(f'deploy {n}', shell=True)\nE",
    'node -e \'require("child_process").execSync(process.env.N)\'',
    "node <<'E'\nconst n = process.env.N\nrequire('child_process').execSync(`deploy ${n}`)\nE",
    'ruby -e \'system(ENV["N"])\'',
    'eval "deploy $N"',
  ])('%j', (script) => {
    expect(count(script)).toBe(1)
  })

  test.each([
    ['shell: python', 'import os\nos.system(os.environ["N"])'],
    ['shell: pwsh', 'Invoke-Expression "deploy $env:N"'],
  ])('%s', (shell, script) => {
    expect(count(script, shell)).toBe(1)
  })

  test('github-script', () => {
    const script = "require('child_process').execSync(process.env.N)"
    const steps = `      - uses: actions/github-script@v8\n        env: {N: "${X}"}\n        with: {script: "${script}"}`
    expect(findUntrusted(file(steps))).toHaveLength(1)
  })
})

describe('a variable that a program reads as data is not reported:', () => {
  test.each([
    'ssh host deploy < "$N"',
    'ssh host "deploy $(printf %q "$N")"',
    'ssh host "deploy ${N@Q}"',
    'echo "$N" | ssh host "cat > name.txt"',
    'bash -c \'deploy "$1"\' _ "$N"',
    'echo "$N" | xargs deploy',
    'echo "$N" | xargs -I{} deploy {}',
    'docker run --rm -e "N=$N" image deploy',
    'docker exec app deploy "$N"',
    'psql -v name="$N" -f insert.sql',
    'echo "$N" | psql -c "copy names from stdin"',
    'sqlite3 a.db < insert.sql\necho "$N"',
    'python3 -c \'import os; print(os.environ["N"])\'',
    'python3 -c \'import os, subprocess; subprocess.run(["deploy", os.environ["N"]])\'',
    'node -e \'require("child_process").execFileSync("deploy", [process.env.N])\'',
    'python3 -c \'import os; os.system("deploy"); print(os.environ["N"])\'',
    'su - app\necho "$N"',
  ])('%j', (script) => {
    expect(count(script)).toBe(0)
  })
})

const USE = 'echo "V=$N" >> "$GITHUB_ENV"'

describe('a variable after a check is not reported:', () => {
  test.each([
    `[[ "$N" =~ ^[a-z0-9._-]+$ ]] || exit 1\n${USE}`,
    `[[ "$N" =~ ^v[0-9]+(\\.[0-9]+){2}$ ]] || { echo no; exit 1; }\n${USE}`,
    `if ! [[ "$N" =~ ^[0-9]+$ ]]; then\n  exit 1\nfi\n${USE}`,
    `if [[ ! "$N" =~ ^[0-9]+$ ]]; then exit 1; fi\n${USE}`,
    `if [[ "$N" =~ ^[0-9]+$ ]]; then\n  ${USE}\nfi`,
    `if [[ -z "$N" || "$N" == *..* || ! "$N" =~ ^[A-Za-z0-9._-]+(/[A-Za-z0-9._-]+)*$ ]]; then\n  exit 1\nfi\n${USE}`,
    `[[ -n "$N" && "$N" =~ ^[a-z]+$ ]] || exit 1\n${USE}`,
    `pattern='^[a-z]+$'\n[[ $N =~ $pattern ]] || exit 1\n${USE}`,
    `[[ "$N" =~ ^(main|next)$ ]] && ${USE}`,
    `if [ "$N" = "main" ]; then ${USE}; fi`,
    `if [[ "$N" != main ]]; then exit 1; fi\n${USE}`,
    `if ! [[ ( "$N" =~ ^[a-z]+$ ) && -n "$M" ]]; then exit 1; fi\n${USE}`,
    `case "$N" in\n  main|next) ${USE};;\nesac`,
    `case "$N" in\n  main|next) ;;\n  *) exit 1;;\nesac\n${USE}`,
    'echo "V=${N//[^0-9]/}" >> "$GITHUB_ENV"',
    `N=$(tr -cd '0-9' <<< "$N")\necho "V=$(echo "$B" | tr -cd '0-9')" >> "$GITHUB_ENV"`,
    '[[ "$N" =~ ^[a-z]+$ ]] || exit 1\nssh host "deploy $N"',
  ])('%j', (script) => {
    expect(count(script)).toBe(0)
  })

  test.each([
    `[[ "$N" =~ [a-z]+ ]] || exit 1\n${USE}`,
    `[[ "$N" =~ ^[a-z]+ ]] || exit 1\n${USE}`,
    `[[ "$N" =~ ^.*$ ]] || exit 1\n${USE}`,
    `[[ "$N" =~ ^[^x]+$ ]] || exit 1\n${USE}`,
    `[[ "$N" =~ ^[A-z]+$ ]] || exit 1\n${USE}`,
    `[[ "$N" =~ ^main|next$ ]] || exit 1\n${USE}`,
    `[[ "$N" =~ ^[a-z]+$ ]] || echo "no exit"\n${USE}`,
    `[[ "$N" != main ]] || echo main\n${USE}`,
    `[[ "$N" =~ ^[a-z]+$ ]] || echo "is odd"\n${USE}`,
    `[[ "$M" =~ ^[a-z]+$ ]] || exit 1\n${USE}`,
    `[[ -n "$M" || "$N" =~ ^[a-z]+$ ]] || exit 1\n${USE}`,
    `if [[ -z "$M" && ! "$N" =~ ^[a-z]+$ ]]; then exit 1; fi\n${USE}`,
    `grep -Eq '^[a-z]+$' <<< "$N" || exit 1\n${USE}`,
    `if [[ "$N" =~ ^[0-9]+$ ]]; then echo yes; fi\n${USE}`,
    `case "$N" in\n  a*) ${USE};;\nesac`,
    `${USE}\n[[ "$N" =~ ^[a-z]+$ ]] || exit 1`,
    'echo "V=${N//[^a-z$]/}" >> "$GITHUB_ENV"',
  ])('but this is no such check: %j', (script) => {
    expect(count(script)).toBe(1)
  })
})

describe('a condition with fixed strings', () => {
  const BODY = 'on.webhook.outputs.body.x'
  const found = (condition: string, expression = BODY) =>
    findUntrusted(
      file(`      - if: ${JSON.stringify(condition)}\n        run: echo "\${{ ${expression} }}"`),
    ).length

  test.each([
    `${BODY} == 'main'`,
    `'main' == ${BODY}`,
    `github.actor == 'a' && ${BODY} == 'main'`,
    `${BODY} == 'main' || ${BODY} == 'next'`,
    `contains(fromJSON('["main", "next"]'), ${BODY})`,
    `\${{ ${BODY} == 'main' }}`,
  ])('protects the value: %s', (condition) => {
    expect(found(condition)).toBe(0)
  })

  const HEAD = 'github.event.pull_request.head'
  test.each([
    [`${HEAD}.repo.full_name == github.repository`, `${HEAD}.ref`, 0],
    [`'acme/app' == ${HEAD}.repo.full_name && github.actor == 'a'`, 'github.head_ref', 0],
    [`${HEAD}.repo.full_name == github.repository`, 'github.event.comment.body', 1],
    [`${HEAD}.repo.full_name == github.repository || always()`, 'github.head_ref', 1],
    [`${HEAD}.repo.full_name != github.repository`, 'github.head_ref', 1],
  ])('a branch of the repository itself: %s, %s', (condition, expression, count) => {
    const text = step(`echo "\${{ ${expression} }}"`)
    const on = `on: [pull_request_target, issue_comment]\njobs:\n  a:\n    runs-on: ubuntu-latest\n`
    const steps = `    if: ${JSON.stringify(condition)}\n    steps:\n${text}\n`
    expect(findUntrusted(lintedFile(`${on}${steps}`))).toHaveLength(count)
  })

  test.each([
    [`${BODY} != 'main'`, BODY],
    [`startsWith(${BODY}, 'main')`, BODY],
    [`${BODY} == 'main' || github.actor == 'a'`, BODY],
    [`on.webhook.outputs.body.y == 'main'`, BODY],
    [`contains('main next', ${BODY})`, BODY],
    [`${BODY} == 'main'`, 'on.webhook.outputs.body.y'],
  ])('does not protect: %s', (condition, expression) => {
    expect(found(condition, expression)).toBe(1)
  })
})
