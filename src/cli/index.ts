#!/usr/bin/env node
import { VERSION } from '../wire/version.ts'

if (['--version', '-v'].includes(process.argv[2] ?? '')) {
  process.stdout.write(`${VERSION}\n`)
} else {
  void import('./program.ts').then(({ startProgram }) => startProgram())
}
