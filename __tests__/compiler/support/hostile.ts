import { X } from '../../check/support/untrusted.ts'

/** Each would leave the file behind if any part of it were run. */
export const HOSTILE = [
  '$(touch pwned)',
  '`touch pwned`',
  '"; touch pwned; "',
  "'; touch pwned; '",
  '\n touch pwned\n',
  '; touch pwned #',
  '&& touch pwned',
  '| touch pwned',
  '|| touch pwned',
  '& touch pwned &',
  '"$(touch pwned)"',
  "'$(touch pwned)'",
  '\'"$(touch pwned)"\'',
  `\${IFS}$(touch\${IFS}pwned)`,
  '\\"; touch pwned; \\"',
  "\\'; touch pwned; \\'",
  '\\$(touch pwned)',
  'a[$(touch pwned)]',
  '$((a[$(touch pwned)]))',
  '<(touch pwned)',
  '>(touch pwned)',
  '> pwned',
  '\nEOF\ntouch pwned\ncat <<EOF\n',
  '*) touch pwned;; esac; case x in x',
  '"\n`touch pwned`\n"',
  '\r\ntouch pwned\r\n',
  '%s$(touch pwned)',
  '!touch pwned',
  '~ && touch pwned',
  '{touch,pwned}',
  '-e \\x24(touch pwned)',
  '"$(\ntouch pwned\n)"',
]

/** Scripts that the fix is sure of. */
export const FIXABLE = [
  `echo ${X}`,
  `echo "a ${X} b"`,
  `echo 'a ${X} b'`,
  `echo a${X}b "${X}"`,
  `echo one\n\n# it follows\necho "it's ${X}"`,
  `echo ${X} >> $GITHUB_STEP_SUMMARY`,
  `echo "at $HOME: ${X}" >> "$GITHUB_STEP_SUMMARY"`,
]
