/** Path of the calls to the Durable Object of the bodies. The worker itself needs it, so it has a file of its own. */
export const BODIES_OBJECT_PATH = '/bodies'
