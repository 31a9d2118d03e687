import { createInterface } from 'node:readline/promises'

/**
 * Asks a yes-or-no question. Without a terminal the answer is no, and so it is if the
 * terminal is closed or Ctrl-D is pressed.
 *
 * @param enter the answer that Enter gives
 * @param interrupt is called on Ctrl-C, because a terminal that asks sends no signal
 * @throws the reason of an abort
 */
export async function askYesNo(
  question: string,
  signal: AbortSignal,
  interrupt: () => void,
  enter: 'yes' | 'no' = 'yes',
): Promise<boolean> {
  const { stdin: input, stderr: output } = process
  if (!input.isTTY) return false
  const terminal = createInterface({ input, output })
  terminal.once('SIGINT', interrupt)
  // A pending question of some versions of Node never ends after Ctrl-D.
  const ended = new Promise<string>((resolve) => terminal.once('close', () => resolve('n')))
  const asked = terminal.question(`${question} ${enter === 'yes' ? '[Y/n]' : '[y/N]'} `, { signal })
  try {
    const answer = (await Promise.race([ended, asked])).trim().toLowerCase()
    return answer === '' ? enter === 'yes' : answer.startsWith('y')
  } catch {
    output.write('\n')
    signal.throwIfAborted()
    return false
  } finally {
    terminal.close()
  }
}
