import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/**
 * False for a process that a shell was told to run in the background (`hookline dev &`): the system
 * would stop it at its first look at the keyboard, and the keys belong to the shell.
 */
export function inForeground(): boolean {
  if (process.platform === 'win32') return true
  return process.platform === 'linux' ? byStat() : byPs()
}

/** proc_pid_stat(5): after the name in brackets come state, ppid, pgrp, session, tty_nr, tpgid. */
function byStat(): boolean {
  const stat = readFileSync('/proc/self/stat', 'latin1')
  const [, , group, , , foreground] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return group === foreground
}

/** `ps` of macOS and the BSDs marks what is in the foreground with a plus. */
function byPs(): boolean {
  const { stdout, error } = spawnSync('ps', ['-o', 'stat=', '-p', String(process.pid)])
  return error === undefined && stdout.includes('+')
}
