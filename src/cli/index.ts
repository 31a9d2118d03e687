#!/usr/bin/env node
import { isMainThread } from 'node:worker_threads'
import { VERSION } from '../wire/version.ts'

// `dev` starts this file as a worker thread, which runs its scripts.
if (!isMainThread) {
  void import('../inspector/script-thread.ts').then(({ answerScripts }) => answerScripts())
} else if (['--version', '-v'].includes(process.argv[2] ?? '')) {
  process.stdout.write(`${VERSION}\n`)
} else {
  void import('./program.ts').then(({ startProgram }) => startProgram())
}
