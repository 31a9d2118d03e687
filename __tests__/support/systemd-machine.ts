import { execFile, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { areInstalled } from './installed.ts'

/**
 * A machine of its own with a running systemd, in namespaces of this one: its programs are those of this
 * machine, its files lie in a folder, and its network is this machine's, which it may not configure.
 */
export interface Machine {
  /** Runs a program as root. @returns its output */
  run(program: string, ...words: readonly string[]): string
  /** Like {@link run}, with these variables, while this process can answer the program. */
  runWith(env: Readonly<Record<string, string>>, ...words: readonly string[]): Promise<string>
  /** Shuts it down as `poweroff` does; its files stay. */
  stop(): Promise<void>
}

/** False if a program is missing, or the user may not create namespaces. */
export const canBootMachine =
  process.getuid?.() === 0 && areInstalled('systemd-nspawn', 'setpriv', 'nsenter', 'perl')

/** Writes the files that a machine needs, in the layout of a Linux whose programs are below /usr. */
export function createMachine(root: string, node: string): void {
  for (const name of ['usr', 'etc/systemd/system', 'var', 'root', 'opt', 'srv', 'home']) {
    mkdirSync(join(root, name), { recursive: true })
  }
  for (const name of ['bin', 'sbin', 'lib', 'lib64']) symlinkSync(`usr/${name}`, join(root, name))
  cpSync('/usr/lib/os-release', join(root, 'etc/os-release'))
  writeFileSync(join(root, 'etc/hosts'), '127.0.0.1 localhost\n')
  // With an id, systemd does not set up a new machine, which would start every installed service.
  writeFileSync(join(root, 'etc/machine-id'), `${crypto.randomUUID().replaceAll('-', '')}\n`)
  mkdirSync(programsOf(root), { recursive: true })
  cpSync(node, join(programsOf(root), 'node'))
}

/** Programs that are added to /usr/bin. */
function programsOf(root: string): string {
  return `${root}.usr/bin`
}

/** Boots the machine in this folder, and waits until all of its services have started. */
export async function bootMachine(root: string): Promise<Machine> {
  const name = `hookline-${process.pid}`
  const words = [
    ...['systemd-nspawn', '--quiet', '--boot', '--console=pipe', `--machine=${name}`],
    ...[`--directory=${root}`, `--overlay-ro=/usr:${root}.usr:/usr`],
    // Without a systemd on this machine, nothing can register the new one.
    ...(existsSync('/run/systemd/system') ? [] : ['--register=no', '--keep-unit']),
  ]
  // The new machine ends with this process, even if this process is killed.
  const script = `${JOIN_GROUP}\nexec setpriv --pdeathsig TERM "$@"`
  const child = spawn('sh', ['-ec', script, name, ...words], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  child.stdout.resume()
  const leader = await firstProcess(child.pid ?? 0)
  const options = { encoding: 'utf8', timeout: 120_000 } as const
  const inside = ['-t', leader, '-a', 'env', '-i', 'PATH=/usr/bin:/usr/sbin', 'HOME=/root']
  const run = (...given: readonly string[]) =>
    execFileSync('nsenter', [...inside, ...given], { ...options, stdio: 'pipe' }).trim()
  const runWith = async (env: Readonly<Record<string, string>>, ...given: readonly string[]) => {
    const variables = Object.entries(env).map(([key, value]) => `${key}=${value}`)
    const { stdout } = await promisify(execFile)(
      'nsenter',
      [...inside, ...variables, ...given],
      options,
    )
    return stdout.trim()
  }
  run('sh', '-c', 'until [ -e /run/systemd/private ]; do sleep 0.1; done')
  run('systemctl', 'is-system-running', '--wait')
  return {
    run,
    runWith,
    stop: async () => {
      child.kill('SIGTERM')
      if (child.exitCode === null) await once(child, 'exit')
      execFileSync('sh', ['-c', REMOVE_GROUP, name])
    },
  }
}

const GROUPS = '/sys/fs/cgroup /sys/fs/cgroup/systemd /sys/fs/cgroup/unified'

/** Runs the machine in a control group of its own, so that none of this machine's groups changes. */
const JOIN_GROUP = `for tree in ${GROUPS}; do
  [ -e $tree/cgroup.procs ] || continue
  mkdir $tree/$0
  echo $$ > $tree/$0/cgroup.procs
done`

const REMOVE_GROUP = `for tree in ${GROUPS}; do
  [ ! -e $tree/$0 ] || find $tree/$0 -depth -type d -exec rmdir {} +
done`

/** The id of the machine's first process. */
async function firstProcess(parent: number): Promise<string> {
  for (let n = 0; n < 300; n++) {
    const children = readFileSync(`/proc/${parent}/task/${parent}/children`, 'utf8').trim()
    const [last = ''] = children.split(' ').slice(-1)
    const isStarted = last !== '' && readFileSync(`/proc/${last}/comm`, 'utf8') === 'systemd\n'
    if (isStarted) return last
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error('systemd did not start')
}
