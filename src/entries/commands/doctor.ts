import { Command } from 'commander'
import { examine } from '../../dev/doctor/examine.ts'
import type { Finding } from '../../dev/doctor/finding.ts'
import type { Patient } from '../../dev/doctor/ports.ts'
import { readApiUrl } from '../../relay/config.ts'
import { UserError } from '../../wire/errors.ts'
import { webhookUrl } from '../../wire/path.ts'
import { Secret } from '../../wire/secret.ts'
import { doctorPorts } from '../cli/doctor-ports.ts'
import { EXIT } from '../cli/exit.ts'
import { originRepository } from '../cli/git-remote.ts'
import { fromEnvironment } from '../cli/secret-input.ts'
import { printable, styled } from '../cli/terminal.ts'

interface DoctorOptions {
  readonly repository?: string
  readonly workflow?: string
  readonly trigger: string
  readonly relay?: string
  readonly deliver?: boolean
  readonly wait: string
  readonly json?: boolean
}

const HELP = `
Environment:
  HOOKLINE_TOKEN    the platform token; never printed
  HOOKLINE_KEYS     keys of a relay that holds the token itself: the first one is sent to it
  HOOKLINE_API_URL  GitHub's API, by default https://api.github.com

It exits with 1 when something failed. What cannot be told from outside is shown, and is no failure.

Examples:
  $ hookline doctor --workflow hook
  $ hookline doctor --repository octo/repo --relay https://relay.example.com
  $ hookline doctor --workflow hook --relay https://relay.example.com --deliver`

export function doctorCommand(): Command {
  return new Command('doctor')
    .description('find what is missing between a sender and a run, and how to mend it')
    .option('--repository <owner/name>', 'by default the git remote origin')
    .option('--workflow <name>', 'one workflow; without it all that listen')
    .option('--trigger <name>', 'trigger that --deliver addresses', 'webhook')
    .option('--relay <url>', 'address of the relay')
    .option('--deliver', 'send a real event, and wait for the run that it starts')
    .option('--wait <seconds>', 'how long to wait for that run', '60')
    .option('--json', 'print one JSON object')
    .addHelpText('after', HELP)
    .action(run)
}

async function run(options: DoctorOptions, command: Command): Promise<void> {
  if (options.deliver && options.workflow === undefined) {
    command.error('error: --deliver needs --workflow, the one that the event is for')
  }
  const patient = readPatient(options)
  const findings = await examine(patient, doctorPorts(readApiUrl(process.env), patient.token))
  const isWell = findings.every(({ status }) => status !== 'failed')
  process.stdout.write(
    options.json ? `${JSON.stringify({ ok: isWell, findings })}\n` : findings.map(told).join(''),
  )
  if (!isWell) process.exitCode = EXIT.mend
}

/** @throws UserError naming the option that is wrong */
function readPatient(options: DoctorOptions): Patient {
  const { workflow, trigger, deliver, wait } = options
  const repository = options.repository ?? originRepository()
  const relay = options.relay?.replace(/\/+$/, '')
  if (repository === '') {
    throw new UserError({ message: 'which repository?', hint: 'give --repository owner/name' })
  }
  // Whatever part cannot stand in a webhook URL is refused here.
  webhookUrl({
    relay: relay ?? 'http://localhost',
    repository,
    workflow: workflow ?? 'any',
    trigger,
  })
  const token = fromEnvironment('HOOKLINE_TOKEN')
  return {
    repository,
    workflow: workflow?.replace(/\.ya?ml$/, ''),
    trigger,
    token,
    relayToken: firstKey(process.env.HOOKLINE_KEYS) ?? token,
    relay,
    deliver: deliver ? parseSeconds(wait) : undefined,
  }
}

/** Of keys separated by commas or white space. */
function firstKey(keys = ''): Secret | undefined {
  const [first] = keys.split(/[\s,]+/).filter(Boolean)
  return first === undefined ? undefined : new Secret(first)
}

function parseSeconds(text: string): number {
  if (/^\d{1,4}$/.test(text)) return Number(text)
  throw new UserError({ message: '--wait is no number of seconds', hint: 'the default is 60' })
}

const MARKS = {
  ok: ['green', 'ok     '],
  warning: ['yellow', 'warning'],
  failed: ['red', 'failed '],
  unknown: ['yellow', 'unknown'],
} as const

function told({ check, status, message, mend }: Finding): string {
  const [colour, mark] = MARKS[status]
  const line = `${styled(process.stdout, colour, mark)}  ${check.padEnd(10)}  ${printable(message)}\n`
  return mend === undefined ? line : `${line}${' '.repeat(21)}${printable(mend)}\n`
}
