import type { GitHubApi, GitHubReply } from './github-api.ts'
import type { StorePorts } from './store.ts'

const MOST_ATTEMPTS = 5
const LONGEST_WAIT = 4_000

/**
 * Asks again when GitHub is busy or gave no answer. A write may then have taken effect already: the
 * next one is refused as a conflict, and what is read afterwards holds the run's own claims.
 */
export function patientApi(api: GitHubApi, { sleep, random }: StorePorts): GitHubApi {
  return async (route, parameters) => {
    for (let attempt = 1; ; attempt++) {
      const reply = await api(route, parameters)
      if (!isPassing(reply) || attempt === MOST_ATTEMPTS) return reply
      await sleep(random() * Math.min(LONGEST_WAIT, 250 * 2 ** attempt))
    }
  }
}

function isPassing({ status, message }: GitHubReply): boolean {
  return status === 0 || status === 429 || status >= 500 || /secondary rate/i.test(message)
}
