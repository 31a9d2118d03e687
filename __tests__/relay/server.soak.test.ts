import { testSlowClients } from './slow-clients.ts'

// With the real limits: 10 s for the headers of a request, 15 s for all of it.
testSlowClients({ slow: 500, longest: { head: 12_500, body: 17_500 } })
