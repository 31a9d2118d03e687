import type { Welcome } from '../api.ts'
import { compose } from './compose.tsx'
import { Problem } from './detail.tsx'
import { copy } from './state.ts'

const EXAMPLE = `# workflows/hook.yml
on:
  webhook:
    method: post
`

/** What is shown before the first request: where to send one. */
export function Empty({ welcome: { triggers, problems } }: { welcome: Welcome }) {
  const [first] = triggers
  const curl = triggers.find((trigger) => trigger.curl !== null)?.curl
  return (
    <div class="empty">
      <h2>{first ? 'Waiting for the first request' : 'No trigger is waiting'}</h2>
      {first ? curl && <FirstSteps curl={curl} /> : <NoTrigger />}
      {first && (
        <p>
          Or write one here:{' '}
          <button type="button" onClick={() => compose()}>
            New request <kbd>n</kbd>
          </button>
        </p>
      )}
      {triggers.length > 0 && <Addresses triggers={triggers} />}
      {problems.map((problem) => (
        <Problem key={problem} text={problem} />
      ))}
    </div>
  )
}

function FirstSteps({ curl }: { curl: string }) {
  return (
    <>
      <p>Paste this into a terminal, and it appears here:</p>
      <div class="curl">
        {/* biome-ignore lint/a11y/useSemanticElements: a section of its own would need a heading */}
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard */}
        <pre tabIndex={0} role="region" aria-label="Command">
          {curl}
        </pre>
        <button type="button" onClick={() => void copy(curl, 'the command')}>
          Copy
        </button>
      </div>
    </>
  )
}

function NoTrigger() {
  return (
    <>
      <p>Put a workflow file into the folder workflows. This is the smallest one:</p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard */}
      <pre class="body" tabIndex={0}>
        {EXAMPLE}
      </pre>
      <p>It takes effect as soon as it is saved.</p>
    </>
  )
}

function Addresses({ triggers }: Pick<Welcome, 'triggers'>) {
  return (
    <div>
      <h3>Addresses</h3>
      <ul class="addresses">
        {triggers.map(({ method, url, curl, request }) => (
          <li key={`${method} ${url}`}>
            <span class="method">{method}</span>
            <code>{url}</code>
            <button
              type="button"
              class="quiet"
              aria-label={`Compose a request for ${method} ${url}`}
              onClick={() => compose(request)}
            >
              Compose
            </button>
            {curl !== null && (
              <button
                type="button"
                class="quiet"
                aria-label={`Copy curl for ${method} ${url}`}
                onClick={() => void copy(curl, 'the command')}
              >
                Copy curl
              </button>
            )}
          </li>
        ))}
      </ul>
    </div>
  )
}
