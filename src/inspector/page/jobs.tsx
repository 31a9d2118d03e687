import { counted } from '../../wire/printable.ts'
import type { ShownFact, ShownJobs } from '../api.ts'
import { Section } from './section.tsx'

/** The jobs of the workflow files for this event: run or skipped, and each line that reads the event. */
export function Jobs({ files }: { files: readonly ShownJobs[] }) {
  return (
    <Section name="jobs" title="Jobs">
      {files.map(({ file, items, jobs }) => (
        <div key={file} class="card">
          <p class="jobs-file">
            <code>{file}</code>
            {items > 1 && ` for item 1 of ${items}`}
          </p>
          <ul class="jobs">
            {jobs.map((job) => (
              <Job key={job.id} job={job} />
            ))}
          </ul>
        </div>
      ))}
    </Section>
  )
}

const VERDICTS = {
  runs: ['Runs', 'fired'],
  skipped: ['Skipped', 'skipped'],
  unknown: ['Not known here', 'unknown'],
  fails: ['Fails', 'mistaken'],
} as const

function Job({ job }: { job: ShownJobs['jobs'][number] }) {
  const [label, kind] = VERDICTS[job.verdict]
  return (
    <li>
      <p class="verdict">
        <code>{job.id}</code>
        <span class={`outcome ${kind}`}>{label}</span>
        <span>{job.why}</span>
        {job.combinations !== undefined && (
          <span>{counted(job.combinations, 'job')} of its matrix</span>
        )}
      </p>
      {job.facts.length > 0 && (
        <ol class="lines">
          {job.facts.map((fact) => (
            <li key={`${fact.line} ${fact.place}`}>
              <span class="number">
                <span class="unseen">line </span>
                {fact.line}
              </span>
              <span class="place">{fact.place}</span>
              <Came fact={fact} />
              <code class="written">{fact.text.trim()}</code>
            </li>
          ))}
        </ol>
      )}
    </li>
  )
}

function Came({ fact }: { fact: ShownFact }) {
  if (fact.fails !== undefined) return <span class="came fails">fails: {fact.fails}</span>
  if (fact.unknown !== undefined) {
    return <span class="came unknown">not known here: {fact.unknown}</span>
  }
  const { value = null } = fact
  return <code class="came">{typeof value === 'string' ? value : JSON.stringify(value)}</code>
}
