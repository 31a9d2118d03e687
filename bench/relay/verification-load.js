// node --expose-gc verification-load.js <bundle>   the cost of loading it, in an otherwise idle
// process
const { gc } = globalThis
const used = () => {
  gc?.()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

const before = used()
const cpu = process.cpuUsage()
await import(process.argv[2] ?? '')
const { user, system } = process.cpuUsage(cpu)
console.log(JSON.stringify({ cpu: (user + system) / 1000, memory: (used() - before) / 2 ** 20 }))
