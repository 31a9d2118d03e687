import { randomUUID } from 'node:crypto'
import { constants, existsSync, type Stats } from 'node:fs'
import {
  access,
  copyFile,
  link,
  mkdir,
  open,
  readFile,
  realpath,
  rename,
  rm,
  stat,
  statfs,
} from 'node:fs/promises'
import { homedir } from 'node:os'
import { delimiter, dirname, isAbsolute, join, resolve } from 'node:path'
import { parseAddress } from '../../wire/address.ts'
import { errorCode, type Problem, UserError } from '../../wire/errors.ts'
import { Secret, sameText } from '../../wire/secret.ts'
import { type Environment, readSetting } from '../../wire/settings.ts'
import { systemProblem } from '../../wire/system-error.ts'
import { newRelayKey, type RelayKeys, readRelayKeys } from '../store/relay-key.ts'

/** The files of a relay with a database. */
export interface DataFolder {
  readonly path: string
  readonly database: string
  readonly key: string
  /** Contains the address of the running relay, for commands on the same machine. */
  readonly address: string
}

const KEY_VARIABLE = 'HOOKLINE_RELAY_KEY'

/** The folder of the systemd unit, which commands of other users look for last. */
const SERVICE_FOLDER = '/var/lib/hookline'

function filesIn(path: string): DataFolder {
  return {
    path,
    database: join(path, 'relay.db'),
    key: join(path, 'relay.key'),
    address: join(path, 'relay.address'),
  }
}

/** The facts that decide where the folder is. */
interface FolderChoice {
  /** `--data` */
  readonly data?: string | undefined
  readonly env: Environment
  readonly platform?: NodeJS.Platform
}

/** The folder of a relay that is started: `--data`, `HOOKLINE_DATA`, or the default. */
export function dataFolder(choice: FolderChoice): DataFolder {
  return filesIn(resolve(chosenFolder(choice) ?? defaultFolder(choice)))
}

function chosenFolder({ data, env }: FolderChoice): string | undefined {
  return data || readSetting(env, 'HOOKLINE_DATA')
}

/** https://specifications.freedesktop.org/basedir-spec/latest ignores a relative XDG_STATE_HOME. */
function defaultFolder({ env, platform = process.platform }: FolderChoice): string {
  // systemd sets one folder for each entry of StateDirectory=.
  const [service] = env.STATE_DIRECTORY?.split(delimiter) ?? []
  if (service) return service
  if (platform === 'win32') {
    return join(env.LOCALAPPDATA || join(homedir(), 'AppData', 'Local'), 'hookline')
  }
  const { XDG_STATE_HOME: state } = env
  return join(state && isAbsolute(state) ? state : join(homedir(), '.local', 'state'), 'hookline')
}

/**
 * Creates the folder with mode 0700 if it does not exist. An existing folder keeps its mode, because it
 * may be a volume.
 *
 * @throws UserError if it cannot be created or written
 */
export async function createDataFolder({ path }: DataFolder): Promise<void> {
  try {
    await createFolder(path)
    await mkdir(path, { recursive: true })
    await access(path, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (error) {
    throw folderError(error, path)
  }
}

/** With `recursive`, `mkdir` never returns for a new folder in `/proc`, which it can neither create nor find. */
async function createFolder(path: string): Promise<void> {
  // On Windows the drive itself may be missing.
  if (existsSync(path) || dirname(path) === path) return
  await createFolder(dirname(path))
  await mkdir(path, { mode: 0o700 }).catch((error) => {
    if (errorCode(error) !== 'EEXIST') throw error
  })
}

export interface RelayKeyFile {
  readonly keys: RelayKeys
  /** True if this start created the key. */
  readonly isNew: boolean
  /** `HOOKLINE_RELAY_KEY`, or the path of the file. */
  readonly source: string
}

/**
 * The relay keys: of `HOOKLINE_RELAY_KEY`, else of the file, which the first start creates. A file is never
 * overwritten, and a folder with a database gets no new key, because that could not decrypt the database.
 *
 * @throws UserError
 */
export async function openRelayKey(folder: DataFolder, env: Environment): Promise<RelayKeyFile> {
  const variable = readSetting(env, KEY_VARIABLE)
  if (variable) {
    const keys = await readRelayKeys(variable, KEY_VARIABLE)
    return { keys, isNew: false, source: KEY_VARIABLE }
  }
  const hasDatabase = await exists(folder.database)
  // Read after the look for a database: another process may create both.
  const known = await readKeyFile(folder)
  if (known) {
    return { keys: await readRelayKeys(known, folder.key), isNew: false, source: folder.key }
  }
  if (hasDatabase) {
    throw new UserError({
      message: `${folder.key} is missing, and ${folder.database} cannot be read without it`,
      hint: `Restore the file, or set ${KEY_VARIABLE}. To start with an empty database, move ${folder.database} away.`,
    })
  }
  const isNew = await createKeyFile(folder, newRelayKey())
  const text = await readKeyFile(folder)
  if (!text) {
    throw new UserError({ message: `${folder.key} was removed`, hint: 'Start the relay again.' })
  }
  return { keys: await readRelayKeys(text, folder.key), isNew, source: folder.key }
}

/** @throws UserError if the file exists and cannot be read */
async function readKeyFile({ path, key }: DataFolder): Promise<Secret | undefined> {
  try {
    return new Secret(await readFile(key, 'utf8'))
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined
    throw folderError(error, path, key)
  }
}

/**
 * Creates the key file, unless another process was first.
 *
 * @returns false if another process was first
 */
async function createKeyFile({ path, key }: DataFolder, text: Secret): Promise<boolean> {
  try {
    await writeWhole(key, `${text.reveal()}\n`, publishNew)
    await syncFolder(path)
    return true
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false
    throw folderError(error, path, key)
  }
}

/**
 * Puts a new key in front of the others in the file, which keeps its owner and mode. Running relays use it
 * after a restart.
 *
 * @returns how many keys the file has now
 * @throws UserError if there is no file, or it cannot be replaced; then it is as before
 */
export async function rotateRelayKey(folder: DataFolder, env: Environment): Promise<number> {
  if (readSetting(env, KEY_VARIABLE)) {
    throw new UserError({
      message: `the relay key is in ${KEY_VARIABLE}, and not in a file`,
      hint: `Put a new key in front, followed by a comma: ${KEY_VARIABLE}="$(openssl rand -base64 32),$${KEY_VARIABLE}"`,
    })
  }
  const text = await readKeyFile(folder)
  if (!text) {
    throw new UserError({
      message: `${folder.key}: no such file`,
      hint: 'Name the folder of the relay with --data. The first start of the relay creates the key.',
    })
  }
  const keys = await readRelayKeys(text, folder.key)
  const rotated = `${newRelayKey().reveal()},${text.reveal().trim()}\n`
  const changed = new UserError({
    message: `${folder.key} was changed while the new key was written`,
    hint: 'Run the command again, unless another command has rotated the key.',
  })
  try {
    // A link to the file stays a link.
    const file = await realpath(folder.key)
    // Two processes that rotate the key have one temporary file, which only one of them can create.
    const options = { temporary: `${file}.new`, like: await stat(file) }
    const publish = async (temporary: string) => {
      // Another rotation may have ended after the keys were read.
      const now = await readKeyFile(folder)
      if (!now || !(await sameText(now.reveal(), text.reveal()))) throw changed
      await rename(temporary, file)
    }
    await writeWhole(file, rotated, publish, options)
  } catch (error) {
    if (error === changed) throw error
    if (errorCode(error) === 'EEXIST') {
      throw new UserError({
        message: `${folder.key}.new exists: another command rotates the key, or was interrupted`,
        hint: `If no other command is running, delete ${folder.key}.new.`,
      })
    }
    throw folderError(error, folder.path, folder.key)
  }
  return keys.length + 1
}

/** Tells commands on this machine where the relay is. @throws UserError */
export async function writeAddress(folder: DataFolder, host: string, port: number): Promise<void> {
  try {
    await writeWhole(folder.address, `${localAddress(host, port)}\n`, rename)
  } catch (error) {
    throw folderError(error, folder.path, folder.address)
  }
}

/** At the end of the relay. It never throws, because an old address does no harm. */
export async function removeAddress({ address }: DataFolder): Promise<void> {
  await rm(address, { force: true }).catch(() => {})
}

/** An address of this machine at which a server that listens on a host can be reached. */
function localAddress(host: string, port: number): string {
  const isEvery = host === '0.0.0.0' || host === '::' || host === ''
  const reached = isEvery ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host
  return `http://${reached}:${port}`
}

interface FoundKey {
  /** Relay keys, as they were written. */
  readonly key: Secret
  /** Path of the key file, or the variable, for errors. */
  readonly keyName: string
  readonly folder: DataFolder
}

/** A relay on this machine, as a command finds it. */
export interface LocalRelay extends FoundKey {
  readonly address: URL
}

/**
 * Finds the relay of this machine: in `--data`, else `HOOKLINE_DATA`, else the default folder, then
 * `/var/lib/hookline`.
 *
 * @throws UserError that names the folders; for a folder that cannot be read, it names the way in
 */
export async function findLocalRelay(choice: FolderChoice): Promise<LocalRelay> {
  const folders = foldersOf(choice)
  const stopped: string[] = []
  for (const folder of folders) {
    const address = await readAddressFile(folder)
    if (address) {
      const found = await keyIn([folder], choice)
      if (found) return { ...found, address }
      throw new UserError({
        message: `${folder.key}: no such file`,
        hint: `The relay has its key from ${KEY_VARIABLE}. Set the same variable for this command.`,
      })
    }
    if (await exists(folder.database)) stopped.push(folder.path)
  }
  if (stopped.length > 0) {
    throw new UserError({
      message: `the relay of ${stopped.join(', ')} is not running`,
      hint: 'Start it: hookline relay. For a relay elsewhere, name its address with --relay <url>.',
    })
  }
  throw new UserError({
    message: `found no relay on this machine: ${folders.map(({ path }) => path).join(', ')}`,
    hint: 'Start one: hookline relay. For a relay in another folder, set HOOKLINE_DATA=<folder>; for a relay elsewhere, add --relay <url>.',
  })
}

/**
 * Finds the relay key of this machine, whether or not the relay runs: `HOOKLINE_RELAY_KEY`, or the file in the
 * folders of `findLocalRelay`.
 *
 * @throws UserError that names the folders
 */
export async function findRelayKey(choice: FolderChoice): Promise<FoundKey> {
  const folders = foldersOf(choice)
  const found = await keyIn(folders, choice)
  if (found) return found
  throw new UserError({
    message: `found no relay key on this machine: ${folders.map(({ key }) => key).join(', ')}`,
    hint: 'The first start of the relay creates it: hookline relay. For a relay in another folder, add --data <folder>.',
  })
}

function foldersOf(choice: FolderChoice): readonly DataFolder[] {
  const chosen = chosenFolder(choice)
  const paths = chosen ? [chosen] : [defaultFolder(choice), SERVICE_FOLDER]
  return [...new Set(paths.map((path) => resolve(path)))].map(filesIn)
}

/** @throws UserError */
async function readAddressFile({ path, address }: DataFolder): Promise<URL | undefined> {
  let text: string
  try {
    text = await readFile(address, 'utf8')
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? '')) return undefined
    throw folderError(error, path, address)
  }
  const url = parseAddress(text.trim())
  if (url) return url
  throw new UserError({
    message: `${address} contains no address`,
    hint: 'Restart the relay, which writes the file, or add --relay <url>.',
  })
}

/** The key of the variable, or of the first folder that has one. */
async function keyIn(
  folders: readonly DataFolder[],
  { env }: FolderChoice,
): Promise<FoundKey | undefined> {
  const variable = readSetting(env, KEY_VARIABLE)
  const [first] = folders
  if (variable && first) return { key: variable, keyName: KEY_VARIABLE, folder: first }
  for (const folder of folders) {
    const key = await readKeyFile(folder)
    if (key) return { key, keyName: folder.key, folder }
  }
  return undefined
}

/**
 * A warning if the folder is lost with its container; `undefined` outside of a container, and for a
 * mounted volume.
 *
 * @param root of the file system, for tests
 */
export async function volumeWarning(
  { path }: DataFolder,
  { env, root = '/' }: { readonly env: Environment; readonly root?: string },
): Promise<Problem | undefined> {
  if (!(await isContainer(env, root))) return undefined
  const [folder, whole, { type }] = await Promise.all([stat(path), stat(root), statfs(path)])
  if (folder.dev !== whole.dev && type !== TMPFS) return undefined
  return {
    message: `${path} is not on a mounted volume, so a new container loses all endpoints and waiting events`,
    hint: `Mount a volume: docker run -v hookline:${path} …`,
  }
}

/** A file system in memory: https://man7.org/linux/man-pages/man2/statfs.2.html */
const TMPFS = 0x01021994

/** Docker, Podman, Kubernetes, and runtimes that a control group names. */
async function isContainer(env: Environment, root: string): Promise<boolean> {
  if (env.KUBERNETES_SERVICE_HOST) return true
  const marks = ['.dockerenv', 'run/.containerenv'].map((name) => exists(join(root, name)))
  if ((await Promise.all(marks)).includes(true)) return true
  const groups = await readFile(join(root, 'proc/1/cgroup'), 'utf8').catch(() => '')
  return /docker|containerd|kubepods|libpod|lxc/.test(groups)
}

async function exists(path: string): Promise<boolean> {
  try {
    await stat(path)
    return true
  } catch {
    return false
  }
}

interface WriteOptions {
  /** Path in the same folder; must not exist. */
  readonly temporary?: string
  /** Gives the file its owner and mode; without it, only this user can read the file. */
  readonly like?: Stats
}

/**
 * Writes a file on the disk under another name first, so that no process sees a part of it, even if this one
 * dies.
 *
 * @param publish gives it its name
 */
async function writeWhole(
  file: string,
  text: string,
  publish: (temporary: string, file: string) => Promise<void>,
  { temporary = `${file}.${randomUUID()}`, like }: WriteOptions = {},
): Promise<void> {
  const handle = await open(temporary, 'wx', 0o600)
  try {
    try {
      await handle.writeFile(text)
      if (like) {
        const { uid, gid } = await handle.stat()
        if (uid !== like.uid || gid !== like.gid) await handle.chown(like.uid, like.gid)
        await handle.chmod(like.mode & 0o777)
      }
      await handle.sync()
    } finally {
      await handle.close()
    }
    await publish(temporary, file)
  } catch (error) {
    // Not after `publish`: the name may be another process's by then.
    await rm(temporary, { force: true })
    throw error
  }
}

/** Gives a file its name unless another one has it, which `rename` would replace. */
async function publishNew(temporary: string, file: string): Promise<void> {
  await link(temporary, file).catch((error: unknown) => {
    if (errorCode(error) === 'EEXIST') throw error
    // Some file systems have no links.
    return copyFile(temporary, file, constants.COPYFILE_EXCL)
  })
  await rm(temporary)
}

/** Makes a new name durable. Some file systems cannot flush a folder. */
async function syncFolder(path: string): Promise<void> {
  const handle = await open(path, 'r').catch(() => undefined)
  await handle?.sync().catch(() => {})
  await handle?.close()
}

/** The error for a folder or a file in it; a bug stays a bug. */
function folderError(error: unknown, folder: string, file = folder): unknown {
  const problem = systemProblem(error, file)
  if (!problem) return error
  const isForbidden = ['EACCES', 'EPERM'].includes(errorCode(error) ?? '')
  const hint = isForbidden
    ? `Run the command as the user of the relay: sudo hookline …, or in its container: docker exec <container> hookline …. For a relay of your own, choose another folder with --data.`
    : `${problem.hint} The folder of the relay is ${folder}; choose another one with --data.`
  return new UserError({ ...problem, hint }, { cause: error })
}
