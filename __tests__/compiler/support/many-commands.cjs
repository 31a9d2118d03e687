// Runs the command line for each list of arguments that its parent sends, in this one process: loaded
// anew for each, and ended when it has nothing left to do, which is when Node would let it exit.
const [bundle = ''] = process.argv.slice(2)
let isRunning = false
const told = { stdout: '', stderr: '' }
for (const name of /** @type {const} */ (['stdout', 'stderr'])) {
  process[name].write = (/** @type {unknown} */ text) => {
    told[name] += text
    return true
  }
}
process.stdout.setMaxListeners(0)

process.on('message', (/** @type {{ cwd: string, args: string[] }} */ { cwd, args }) => {
  process.channel?.unref()
  isRunning = true
  process.chdir(cwd)
  process.argv.splice(1, process.argv.length, bundle, ...args)
  // Its other files hold functions only, which this one calls anew.
  delete require.cache[bundle]
  require(bundle)
})

process.on('beforeExit', () => {
  // Only between two runs does the parent keep this process from its end.
  process.channel?.ref()
  if (isRunning) process.send?.({ status: Number(process.exitCode ?? 0), ...told })
  isRunning = false
  process.exitCode = 0
  Object.assign(told, { stdout: '', stderr: '' })
})

process.on('disconnect', () => process.exit())
