import type { ComponentChildren } from 'preact'

interface SectionProps {
  /** Begins the id of the heading. */
  name: string
  title: ComponentChildren
  head?: ComponentChildren
  children: ComponentChildren
}

/** A part of what is known of an event. */
export function Section({ name, title, head, children }: SectionProps) {
  return (
    <section aria-labelledby={`${name}-title`}>
      <header>
        <h3 id={`${name}-title`}>{title}</h3>
        {head}
      </header>
      {children}
    </section>
  )
}

interface PreformattedProps {
  label: string
  /** Of any length: breaks its lines, and scrolls. */
  body?: boolean
  children: ComponentChildren
}

/** Text that keeps its lines. */
export function Preformatted({ label, body, children }: PreformattedProps) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a section of its own would need a heading
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
    <pre class={body ? 'body' : undefined} tabIndex={0} role="region" aria-label={label}>
      {children}
    </pre>
  )
}

interface Named {
  readonly name: string
  readonly value: ComponentChildren
}

export function ValueList({ values }: { values: readonly Named[] }) {
  return (
    <div class="card">
      <dl class="headers">
        {values.map(({ name, value }) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </div>
  )
}
