import { testSlowClients } from './slow-clients.ts'

// Without shorter limits: 10 s for the head of a request, 15 s for all of it.
testSlowClients({ slow: 500, longest: { head: 12_500, body: 17_500 } })
