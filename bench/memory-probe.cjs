const { existsSync, readFileSync, writeSync } = require('node:fs')

process.on('exit', () => writeSync(3, String(mostMemory())))

/**
 * In KB. Linux hands the figure of `resourceUsage` on from the process that started this one, so
 * the kernel's own account is read where there is one.
 */
function mostMemory() {
  if (!existsSync('/proc/self/status')) return process.resourceUsage().maxRSS
  return /VmHWM:\s+(\d+) kB/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]
}
