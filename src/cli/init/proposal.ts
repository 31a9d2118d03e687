import { actionReference } from '../../workflow/versions.ts'

/** The paths that an agent may change unless `--paths` names others. */
export const DEFAULT_PATHS = 'src/**,lib/**,test/**,tests/**,docs/**'

/** A folder with all that it contains (`src/**`), or files (`README.md`, `src/*.go`). */
const PATH = /^(?:[\w+@-][\w.+@-]*\/)+\*\*$|^(?:[\w+@-][\w.+@-]*\/)*[\w*+@-][\w.*+@-]*$/

/** The patterns of a list such as `src/**,docs/**`; `undefined` if one of them is invalid. */
export function readPaths(list: string): readonly string[] | undefined {
  const paths = list
    .split(',')
    .map((path) => path.trim())
    .filter(Boolean)
  const isValid = paths.length > 0 && paths.every((path) => path !== '**' && PATH.test(path))
  return isValid ? paths : undefined
}

/**
 * Files and folders that instruct a coding agent or configure its tools, in lower case, as patterns of bash.
 * Names that begin with a dot (`.claude`, `.cursorrules`, `.mcp.json`) are refused anyway.
 */
const INSTRUCTIONS = [
  ...['claude.md', 'claude.*.md', 'agents.md', 'agents.*.md', 'agent.md', 'gemini.md', 'qwen.md'],
  ...['warp.md', 'crush.md', 'skill.md', 'copilot-instructions.md', '*.instructions.md'],
  ...['*.prompt.md', '*.chatmode.md', '*.agent.md', 'mcp.json', 'opencode.json', 'opencode.jsonc'],
]

/** The steps of the job `propose`: they need a checkout of the commit that the agent began with. */
export function proposalSteps(paths: readonly string[]): string {
  return `- uses: ${actionReference('actions/checkout')}
- uses: ${actionReference('actions/download-artifact')}
  with:
    name: tree
    path: \${{ runner.temp }}
- name: Propose the allowed changes
  env:
    GH_TOKEN: \${{ github.token }}
    # The agent can change only these paths. Everywhere, the script refuses names that begin with a
    # dot, files that instruct agents, links, submodules and new executable files.
    PATHS: |
${paths.map((path) => `      ${path}`).join('\n')}
  run: |
${SCRIPT.replace(/^(?=.)/gm, '    ')}`
}

/** Runs in bash with `-e`. The script evaluates the entries of git's trees, because a path is only bytes there. */
const SCRIPT = `export LC_ALL=C
tree="$RUNNER_TEMP/tree"
mkdir "$tree"
tar --extract --file="$RUNNER_TEMP/tree.tar" --directory="$tree" --exclude=.git
# Git would wait for pipes.
find "$tree" ! -type f ! -type d ! -type l -delete

paths=()
while IFS= read -r line; do
  [ -z "$line" ] || paths+=(":(top,glob)$line")
done <<< "$PATHS"
[ "\${#paths[@]}" -gt 0 ] || { echo '::error::PATHS is empty'; exit 1; }

# A second index contains everything that the agent changed.
export GIT_INDEX_FILE="$RUNNER_TEMP/index"
git read-tree HEAD
git --git-dir="$PWD/.git" --work-tree="$tree" add --all -- .
all="$(git write-tree)"
unset GIT_INDEX_FILE

# Whether a name is acceptable in every folder.
is_allowed_name() {
  case "/\${1,,}/" in
    */.* | *[.\\ ]/* | /event.json/) return 1 ;;
    ${INSTRUCTIONS.map((name) => `*/${name}/*`).join(' | ')}) return 1 ;;
  esac
}

# Links and submodules stay as they are, and no file becomes executable.
is_allowed_mode() {
  case "$1 $2" in
    '000000 100644' | '100644 100644' | '100755 100644' | '100755 100755') ;;
    '100644 000000' | '100755 000000') ;;
    *) return 1 ;;
  esac
}

# Other characters can look like allowed names, or become them on another system.
plain='^[][A-Za-z0-9 /._@+()$,=-]+$'
for list in accepted removed added; do : > "$RUNNER_TEMP/$list"; done
git diff-tree -r -z --no-renames HEAD "$all" -- "\${paths[@]}" > "$RUNNER_TEMP/changes"
while IFS= read -r -d '' entry && IFS= read -r -d '' path; do
  read -r old new _ object _ <<< "\${entry#:}"
  is_allowed_mode "$old" "$new" && is_allowed_name "$path" || continue
  [ "$old" != 000000 ] || [[ $path =~ $plain ]] || continue
  [ "$new" = 000000 ] && list=removed || list=added
  printf '%s %s\\t%s\\0' "$new" "$object" "$path" >> "$RUNNER_TEMP/$list"
  printf '%s\\0' "$path" >> "$RUNNER_TEMP/accepted"
done < "$RUNNER_TEMP/changes"
cat "$RUNNER_TEMP/removed" "$RUNNER_TEMP/added" | git update-index -z --index-info
proposed="$(git write-tree)"
# A file in place of a folder removes everything in that folder.
git diff-tree -r -z --name-only --no-renames HEAD "$proposed" | cmp --quiet - "$RUNNER_TEMP/accepted" || {
  echo '::error::An allowed change would remove a file that the agent must not change.'
  exit 1
}

# The summary shows names as an indented block, because they are untrusted input.
git diff-tree -r -z --name-only --no-renames "$proposed" "$all" -- ':(top,exclude)event.json' \\
  > "$RUNNER_TEMP/refused"
if [ -s "$RUNNER_TEMP/refused" ]; then
  echo '::notice::Some changes are not allowed. The summary of the run lists their paths.'
  printf 'The proposal does not contain the changes of these paths:\\n\\n' >> "$GITHUB_STEP_SUMMARY"
  while IFS= read -r -d '' path; do printf '    %q\\n' "$path"; done \\
    < "$RUNNER_TEMP/refused" >> "$GITHUB_STEP_SUMMARY"
fi
git diff --cached --quiet && exit 0

branch="agent/$GITHUB_RUN_ID-$GITHUB_RUN_ATTEMPT"
git switch --quiet --create "$branch"
git -c user.name='github-actions[bot]' \\
  -c user.email='41898282+github-actions[bot]@users.noreply.github.com' \\
  commit --quiet --message "Change the code for run $GITHUB_RUN_ID"
git push --quiet origin "$branch"
run="$GITHUB_SERVER_URL/$GITHUB_REPOSITORY/actions/runs/$GITHUB_RUN_ID"
if ! gh pr create --draft --fill --head "$branch" --body "By $run"; then
  link="$GITHUB_SERVER_URL/$GITHUB_REPOSITORY/compare/$branch?expand=1"
  echo "::notice::The job could not open a pull request. Open it here: $link"
  printf '\\n[Open a pull request](%s) for the changes of this run.\\n' "$link" >> "$GITHUB_STEP_SUMMARY"
fi
`
