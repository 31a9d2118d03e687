/**
 * The files that wire a face up: they alone touch the process, environment, clock, sockets and files,
 * and everything else gets its outside world from them. Patterns in `src/`; a test holds the list,
 * and the figure of coverage leaves it out, since the built programs run it, in processes of their own.
 */
export const WIRING = [
  'action/{index,main,post-program,reply-program,failure,http,ports,store,workflow-files}.ts',
  'cli/**/*.ts',
  // Contexts of node:vm are the engine's own tool, for scripts and for a filter's time limit.
  'engine/scripts.ts',
  // What it reads becomes text of the bundle.
  'engine/url-source.ts',
  'inspector/{dev-server,server,local-engine,script-thread}.ts',
  // A browser is outside too.
  'inspector/page/{connection,state}.ts',
  'inspector/page/detail.tsx',
  'relay/{durable-outbox,config}.ts',
  'relay/http/{node,node-server,worker}.ts',
  'relay/github/connection-pool.ts',
  'relay/outbox/{on-node,sqlite,sqlite-thread}.ts',
]
