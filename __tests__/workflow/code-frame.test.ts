import { expect, test } from '@jest/globals'
import { renderProblem } from '../../src/workflow/code-frame.ts'
import { positionAt } from '../../src/workflow/yaml.ts'

const source = { name: 'w.yml', file: 'w.yml', text: 'a: 1\n\tb: "two"\r\nc' }

test.each([
  [{ message: 'm' }, 'error: m'],
  [{ message: 'm', hint: 'h', notes: ['n'] }, 'error: m\n  = h\n  = n'],
  [
    { message: 'm', position: positionAt(source, 9, 14), hint: 'h', notes: ['n'] },
    'error: m\n  --> w.yml:2:5\n   |\n 2 | →b: "two"\n   |     ^^^^^ h\n   = n',
  ],
  [
    { message: 'm', position: positionAt(source, 0, 99) },
    'error: m\n  --> w.yml:1:1\n   |\n 1 | a: 1\n   | ^^^^',
  ],
  [
    { message: 'at the end', position: positionAt(source, 17, 17) },
    'error: at the end\n  --> w.yml:3:2\n   |\n 3 | c\n   |  ^',
  ],
])('%#: message, place, line and what would do', (problem, text) => {
  expect(renderProblem(problem)).toBe(text)
})

test('a warning is called one', () => {
  expect(renderProblem({ message: 'm' }, 'warning')).toBe('warning: m')
})

test('text of a workflow neither moves the cursor nor becomes a command of the runner', () => {
  const hostile = { name: 'w.yml', file: 'w.yml', text: 'a: "\u001b]0;x\u0007##[error]\u009b2J"\n' }
  const problem = {
    message: 'm "##[set-output x]"\n::error::x',
    position: positionAt(hostile, 3, 9),
  }
  expect(renderProblem(problem)).not.toMatch(/\p{Cc}(?<!\n)|##\[|^::/mu)
})
