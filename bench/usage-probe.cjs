const { existsSync, readFileSync, writeSync } = require('node:fs')

process.on('exit', () => {
  const { user, system } = process.cpuUsage()
  writeSync(3, JSON.stringify({ cpu: (user + system) / 1000, memory: mostMemory() / 1024 }))
})

/**
 * In KB. Linux hands the figure of `resourceUsage` on from the process that started this one, so
 * the kernel's own account is read where there is one.
 */
function mostMemory() {
  if (!existsSync('/proc/self/status')) return process.resourceUsage().maxRSS
  return Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1])
}
