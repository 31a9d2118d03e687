import { jest } from '@jest/globals'

// A test speaks to real processes, browsers and sockets on a machine that others use too. Where one
// fails it has a second try, and the tally names it, so that somebody looks. A soak gives none.
if (process.env.HOOKLINE_TEST_EFFORT !== 'full') jest.retryTimes(1, { logErrorsBeforeRetry: true })
