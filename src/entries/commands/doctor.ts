import { Command } from 'commander'
export function doctorCommand(): Command {
  return new Command('doctor')
}
