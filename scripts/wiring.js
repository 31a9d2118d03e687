/**
 * The files that connect a program to the outside world: only they use the process, environment,
 * clock, sockets and files; all other files get these as parameters. Patterns in `src/`. A test
 * checks the list. Coverage leaves these files out, because they run in the built programs, in
 * other processes.
 */
export const WIRING = [
  'action/{index,main,fetch-body,post-program,reply-program,failure,http-client,action-ports,state-store,workflow-files}.ts',
  'cli/**/*.ts',
  // Contexts of node:vm are the engine's own tool, for scripts and for the time limit of a filter.
  'engine/scripts.ts',
  // Its result becomes a string in the bundle.
  'engine/url-source.ts',
  'inspector/{dev-server,relay-source,server,local-engine}.ts',
  // A browser is part of the outside world, too.
  'inspector/page/{connection,state}.ts',
  'inspector/page/detail.tsx',
  'relay/config.ts',
  'relay/workers/{worker,relay-object,stored-relay,github-fetch,log}.ts',
  'relay/stored-relay.ts',
  'relay/github/connection-pool.ts',
  'relay/node/*.ts',
]
