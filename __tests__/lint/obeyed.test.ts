import { describe, expect, test } from '@jest/globals'
import { sourceFile, withStep } from '../compiler/support/compiled.ts'
import { findUntrusted, fixUntrusted, step, X } from './support/untrusted.ts'

/** The script as a step with the input in its variable `B`. */
const reading = (script: string) =>
  withStep(`${step(script)}\n        shell: bash\n        env:\n          B: ${X}`)
const codes = (text: string) =>
  findUntrusted(sourceFile(text)).map(({ problem }) => problem.code ?? 'none')

describe('a variable of the event is reported where it is executed', () => {
  test.each([
    'bash -s <<< "$B"',
    'bash <<< "$B"',
    'bash - <<EOF\n$B\nEOF',
    'sh -es <<EOF\necho "$B"\nEOF',
    'echo "$B" | bash',
    'echo "$B" | sudo -E bash -s -- --yes',
    'printf "%s" "$B" | tr -d x | sh /dev/stdin',
    'bash -c "echo $B"',
    'bash -ec "$B"',
    'eval "$B"',
    'eval "echo \\"$B\\""',
    'source /dev/stdin <<< "$B"',
    '. /dev/stdin <<< "$B"',
    '$B --version',
    'C="$B"\nbash -c "$C"',
    'python3 - <<< "$B"',
    'python3 <<EOF\nprint("$B")\nEOF',
    'python3 -c "print(\'$B\')"',
    'python3.12 /dev/stdin <<< "$B"',
    'node <<< "$B"',
    'node -e "console.log(\'$B\')"',
    'echo "$B" | node -',
    'perl -ne "print if /$B/" file',
    'ruby -e "puts \'$B\'"',
    'php -r "$B"',
    'pwsh -Command "$B"',
    'awk -f /dev/stdin data <<< "$B"',
    'awk -f - data <<< "$B"',
    'awk -f/dev/stdin data <<< "$B"',
    'awk "/$B/ { print }" file',
    'jq -n -f /dev/stdin <<< "$B"',
    'jq -nf /dev/stdin <<EOF\n{a: "$B"}\nEOF',
    'jq --from-file /dev/stdin -n <<< "$B"',
    'cat <<EOF | jq -f /dev/stdin -n\n{a: "$B"}\nEOF',
    'jq ".a = \\"$B\\"" file.json',
    'jq -r --arg a b ".x == \\"$B\\"" file.json',
    'yq ".a = \\"$B\\"" file.yml',
    'sed -f /dev/stdin file <<< "$B"',
    'sed -f - file <<< "s/a/$B/"',
  ])('%j', (script) => {
    expect(codes(reading(script))).toEqual(['script-injection'])
  })
})

describe('a variable of the event is reported in the prompt of an agent', () => {
  test.each([
    'claude -p "$B"',
    'claude --print "Answer this: $B"',
    'echo "$B" | claude -p',
    'claude -p <<EOF\nDo: $B\nEOF',
    'npx -y @anthropic-ai/claude-code -p "$B"',
    'npx @openai/codex@latest exec "$B"',
    'codex exec "$B"',
    'codex exec - <<< "$B"',
    'gemini -p "$B"',
    'gemini --prompt "$B" --yolo',
  ])('%j', (script) => {
    expect(codes(reading(script))).toEqual(['untrusted-prompt'])
  })
})

describe('a variable of the event that stays text is not told', () => {
  test.each([
    'echo "$B"',
    'echo "$B" | jq -r .a',
    'jq -n --arg b "$B" \'{b: $b}\'',
    'jq -n --arg b "$B" \'{b: $b}\' | curl -d @- https://a.example',
    'jq --argjson b "$B" \'.x = $b\' file.json',
    'jq -r .title <<< "$B"',
    'echo "$B" | python3 -c \'import sys; print(sys.stdin.read())\'',
    'echo "$B" | python3 -m json.tool',
    'echo "$B" | python3 script.py',
    'python3 script.py "$B"',
    'python3 - "$B" <<\'EOF\'\nimport sys\nprint(sys.argv[1])\nEOF',
    'python3 - <<\'EOF\'\nimport os\nprint(os.environ["B"])\nEOF',
    "node -e 'console.log(process.env.B)'",
    'node script.js "$B"',
    'bash script.sh "$B"',
    'bash -c \'echo "$1"\' _ "$B"',
    'bash -c \'echo "$B"\'',
    'echo "$B" | bash script.sh',
    'bash -s -- "$B" < script.sh',
    'awk -v b="$B" \'{ print b }\' file',
    'awk \'{ print $1 }\' <<< "$B"',
    'echo "$B" | awk \'{ print $1 }\'',
    'echo "$B" | sed -n 1p',
    'sed "s/a/b/" <<< "$B"',
    'grep -q x <<< "$B"',
    'case "$B" in a) bash deploy.sh;; esac',
    'if [ "$B" = a ]; then bash -c "echo yes"; fi',
    'retry() { "$@"; }\nretry gh issue comment 1 --body "$B"',
    'curl -fsSL https://a.example/install.sh | bash\necho "$B"',
    'claude -p "Summarize message.txt, which is data." --allowedTools Read',
    'printf "%s" "$B" > message.txt\nclaude -p "Summarize message.txt, which is data."',
    'gemini --version\necho "$B"',
    'source ./lib.sh\necho "$B"',
    'ssh-keyscan github.com\necho "$B"',
  ])('%j', (script) => {
    expect(codes(reading(script))).toEqual([])
  })
})

describe('a program is no text, so --fix leaves it', () => {
  const PASTED = [
    `jq -n -f /dev/stdin <<EOF\n{a: "${X}"}\nEOF`,
    `cat <<EOF | jq -f /dev/stdin -n\n{a: "${X}"}\nEOF`,
    `jq -nf /dev/stdin <<< "${X}"`,
    `bash -s <<EOF\necho "${X}"\nEOF`,
    `python3 - <<EOF\nprint("${X}")\nEOF`,
    `awk -f /dev/stdin <<< "${X}"`,
    `claude -p "${X}"`,
    `jq ".a = \\"${X}\\"" file`,
  ]
  test.each(PASTED)('%j', (script) => {
    const text = withStep(`${step(script)}\n        shell: bash`)
    const mended = fixUntrusted(sourceFile(text))
    expect(mended.count).toBe(0)
    expect(mended.text).toBe(text)
    expect(codes(text)).not.toEqual([])
  })
})
