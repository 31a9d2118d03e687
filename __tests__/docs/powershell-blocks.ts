import { expect } from '@jest/globals'
import { type Block, mentions, type Page } from './pages.ts'

/**
 * Compares a block for PowerShell, which the tests do not have, with the commands for sh on the same page: each
 * command must be one of them, with the paths of Windows. Windows PowerShell has no `&&`, its `curl` is another
 * command, and programs get `~` unexpanded.
 */
export async function compareWithShell({ text }: Block, page: Page): Promise<void> {
  const shell = page.blocks.filter(({ language }) => language === 'sh').map((block) => block.text)
  const known = [...shell, ...mentions(page).map(({ code }) => code)].flatMap(commandsOf)
  const commands = text.trimEnd().split('\n')
  for (const command of commands) {
    expect(command).not.toMatch(/&&|\|\||~|\\$|\b(?:curl|export|source|sed|grep)\b/)
    const inShell = command.replaceAll(/\$HOME\\(\w+)/g, '~/$1')
    expect(known).toContain(inShell)
  }
}

/** The commands of a script for sh, without `&&`. */
function commandsOf(script: string): string[] {
  return script.split(/\n| && /).map((command) => command.trim())
}
