import { counted } from '../../wire/printable.ts'
import type { ShownJobs } from '../api.ts'
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
              <JobView key={job.id} job={job} />
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

type Job = ShownJobs['jobs'][number]

function JobView({ job }: { job: Job }) {
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
              <Came outcome={fact.outcome} />
              <code class="written">{fact.text.trim()}</code>
            </li>
          ))}
        </ol>
      )}
    </li>
  )
}

function Came({ outcome }: Pick<Job['facts'][number], 'outcome'>) {
  if ('fails' in outcome) return <span class="came fails">fails: {outcome.fails}</span>
  if ('unknown' in outcome) {
    return <span class="came unknown">not known here: {outcome.unknown}</span>
  }
  const { value } = outcome
  return <code class="came">{typeof value === 'string' ? value : JSON.stringify(value)}</code>
}
