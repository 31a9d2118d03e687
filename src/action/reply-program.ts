import { setTimeout as sleep } from 'node:timers/promises'
import * as core from '@actions/core'
import { fail } from './failure.ts'
import { http } from './http.ts'
import { reply } from './reply.ts'

const input = (name: string) => core.getInput(name)
const ports = { http, sleep: (duration: number) => sleep(duration), mask: core.setSecret }
reply(input, ports).then((id) => core.setOutput('id', id), fail)
