import { describe, expect, test } from '@jest/globals'
import { sourceFile, withStep } from '../compiler/support/compiled.ts'
import { fixUntrusted, flagged, step, X } from './support/untrusted.ts'

describe('leaves to a person, still flagged,', () => {
  test.each([
    ['the name of a command', X],
    ['a part of it', `./bin-${X} --flag`],
    ['what is evaluated again', `eval "echo ${X}"`],
    ['another shell', `bash -c 'echo ${X}'`],
    ['another shell by a pipe', `echo ${X} | sh`],
    ['another shell by its path', `echo 1 | /usr/bin/env bash -s ${X}`],
    ['a program of another language', `python3 -c 'print("${X}")'`],
    ['a variable that reaches one', `A=${X}\npython3 -c "print('$A')"`],
    ['a file that reaches one', `echo ${X} > a.py\npython3 a.py`],
    ['arithmetic', `echo $((${X} + 1))`],
    ['arithmetic on a variable', `A=${X}\n(( A > 1 )) && echo more`],
    ['a test that calculates', `[[ ${X} -gt 1 ]] && echo more`],
    ['a command in a variable', `A=${X}\n$A`],
    ['a list', `for a in ${X}; do echo $a; done`],
    ['what prints while the script goes on', `echo ${X} &`],
    ['an expression that a test matches', `[[ abc =~ ${X} ]] && echo more`],
    ['a pattern', `case a in ${X}) echo yes;; esac`],
    ['a quoted here-document', `cat <<'EOF'\n${X}\nEOF`],
    ['backquotes', `echo \`cat ${X}\``],
    ['a parameter expansion', `echo "\${A:-${X}}"`],
    ['an escape', `echo \\${X}`],
    ['an ANSI-C string', `echo $'${X}'`],
    ['the environment of later steps', `echo "A=${X}" >> "$GITHUB_ENV"`],
    ['the name of a variable', `export ${X}`],
    ['a script that does not parse', `echo "${X}`],
    ['a variable of a command', `PATH=${X} ls`],
    ['a comment', `# about ${X}\necho done`],
    ['a pipe', `echo ${X} | cat`],
    ['a substitution', `echo "$(echo ${X})"`],
    ['a here-document', `cat <<EOF\n${X}\nEOF`],
    ['an unknown command', `deploy "${X}"`],
    ['a command behind a long word', `echo ${X}\n${'a'.repeat(500)};`],
  ])('%s', (_, script) => {
    const text = withStep(step(script))
    const { count } = fixUntrusted(sourceFile(text))
    expect(count).toBe(0)
    expect(flagged(text)).not.toEqual([])
  })

  test.each([
    ['PowerShell', 'shell: pwsh'],
    ['Python', 'shell: python'],
    ['cmd', 'shell: cmd'],
    ['a shell that only the run knows', `shell: \${{ inputs.shell }}`],
    ['a string of commands', 'shell: bash -c {0}'],
    ['a program before the shell', 'shell: env bash {0}'],
    ['a program behind the shell', 'shell: bash {0} x'],
    ['a shell of another folder', 'shell: /opt/bash {0}'],
  ])('%s', (_, shell) => {
    const text = withStep(`${step(`echo ${X}`)}\n        ${shell}`)
    expect(fixUntrusted(sourceFile(text)).text).toBe(text)
    expect(flagged(text)).toContain('run')
  })

  test.each([
    'bash',
    'sh',
    '/bin/sh {0}',
    '/usr/bin/bash -eu {0}',
    'bash  -e  -x  {0}',
    'bash --noprofile --norc -eo pipefail {0}',
  ])('nothing if the shell is %s', (shell) => {
    const text = withStep(`${step(`echo ${X}`)}\n        shell: ${shell}`)
    expect(fixUntrusted(sourceFile(text)).count).toBe(1)
  })

  // A custom label or group may be a Windows machine.
  test.each([
    ['windows-latest', 0],
    [`\${{ inputs.os }}`, 0],
    ['[self-hosted, x64]', 0],
    ['vs2022', 0],
    ['[self-hosted, vs2022]', 0],
    ['{group: big}', 0],
    ['ubuntu-24.04-arm', 1],
    ['macos-15', 1],
    ['[self-hosted, Linux, x64]', 1],
    ['{group: big, labels: [acme-4cpu-ubuntu-24.04]}', 1],
    [`\${{ matrix.os }}`, 0],
  ])('a job on %s without a shell: %i fixed', (runner, count) => {
    const text = withStep(step(`echo ${X}`))
      .replace('ubuntu-latest', runner)
      .replace('    steps:', '    strategy: {matrix: {os: [ubuntu-latest]}}\n    steps:')
    expect(fixUntrusted(sourceFile(text)).count).toBe(count)
  })
})

describe('puts the variables', () => {
  test.each([
    [
      'into a new env',
      `- run: echo ${X}`,
      `- run: echo "\${WEBHOOK_BODY_X}"\n  env:\n    WEBHOOK_BODY_X: ${X}`,
    ],
    [
      'into the env that is there',
      `- env:\n    # why\n    A: b\n  run: echo ${X}`,
      `- env:\n    WEBHOOK_BODY_X: ${X}\n    # why\n    A: b\n  run: echo "\${WEBHOOK_BODY_X}"`,
    ],
    [
      'into an env in braces',
      `- env: {A: b}\n  run: echo ${X}`,
      `- env: {WEBHOOK_BODY_X: "${X}", A: b}\n  run: echo "\${WEBHOOK_BODY_X}"`,
    ],
    [
      'under a name that is free',
      `- env: {WEBHOOK_BODY_X: b}\n  run: echo ${X}`,
      `- env: {WEBHOOK_BODY_X_2: "${X}", WEBHOOK_BODY_X: b}\n  run: echo "\${WEBHOOK_BODY_X_2}"`,
    ],
    [
      'under a name of its own',
      `- run: echo \${{ format('git {0}', on.webhook.outputs.body.x) }}`,
      `- run: echo "\${EVENT_GIT_0_WEBHOOK_BODY_X}"\n  env:\n    EVENT_GIT_0_WEBHOOK_BODY_X: \${{ format('git {0}', on.webhook.outputs.body.x) }}`,
    ],
    [
      'once for the same value',
      `- run: |\n    echo ${X}\n    echo "${X}"`,
      `- run: |\n    echo "\${WEBHOOK_BODY_X}"\n    echo "\${WEBHOOK_BODY_X}"\n  env:\n    WEBHOOK_BODY_X: ${X}`,
    ],
    [
      'by its own name where the step has it already',
      `- env: { Title: '${X}' }\n  run: echo "\${{ env.TITLE }}"`,
      `- env: { Title: '${X}' }\n  run: echo "\${Title}"`,
    ],
    [
      'in the way the script is quoted',
      `- run: 'echo "${X}"'`,
      `- run: 'echo "\${WEBHOOK_BODY_X}"'\n  env:\n    WEBHOOK_BODY_X: ${X}`,
    ],
    [
      'in double quotes too',
      `- run: "echo ${X}"`,
      `- run: "echo \\"\${WEBHOOK_BODY_X}\\""\n  env:\n    WEBHOOK_BODY_X: ${X}`,
    ],
  ])('%s', (_, before, after) => {
    const indented = (text: string) => text.replaceAll(/^/gm, '      ')
    expect(fixUntrusted(sourceFile(withStep(indented(before)))).text).toBe(
      withStep(indented(after)),
    )
  })
})
