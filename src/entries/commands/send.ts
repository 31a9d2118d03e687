import { Command } from 'commander'
export function sendCommand(): Command {
  return new Command('send')
}
