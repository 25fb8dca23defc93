import { IconArrowUpRight, IconCheck, IconX } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { type Step, type StepRow, type TierPart } from '../features/trace/steps.js';
import styles from './TraceSteps.module.css';

/** The numbered steps from a deal to an amount. */
export function TraceSteps({ steps }: { readonly steps: readonly Step[] }) {
  return (
    <ol className={styles.steps}>
      {steps.map((step, index) => (
        <li key={step.title} className={step.isResult ? styles.result : styles.step}>
          <span className={styles.number} aria-hidden="true">
            {index + 1}
          </span>
          <div className={styles.head}>
            <h3>{step.title}</h3>
            <span className={`num ${styles.figure}`}>{step.figure}</span>
          </div>
          {step.words.map((words) => (
            <p key={words} className={styles.words}>
              {words}
            </p>
          ))}
          <Rows rows={step.rows} />
          {step.parts === undefined || step.parts.length === 0 ? null : (
            <Parts parts={step.parts} scale={step.scale ?? []} />
          )}
          {step.source === undefined ? null : (
            <Link to={step.source.to} className={styles.source}>
              {step.source.label}
              <IconArrowUpRight size={12} aria-hidden="true" />
            </Link>
          )}
        </li>
      ))}
    </ol>
  );
}

function Rows({ rows }: { readonly rows: readonly StepRow[] }) {
  if (rows.length === 0) return null;
  return (
    <ul>
      {rows.map(({ label, value, passed }) => (
        <li key={label} className={styles.row}>
          <span className={passed === false ? 'dim' : undefined}>
            {passed === undefined ? null : <Outcome passed={passed} />}
            <span className={passed === undefined ? 'dim' : undefined}>{label}</span>
          </span>
          <span className={passed === undefined ? 'num' : 'dim'}>{value}</span>
        </li>
      ))}
    </ul>
  );
}

function Outcome({ passed }: { readonly passed: boolean }) {
  const Glyph = passed ? IconCheck : IconX;
  return (
    <>
      <Glyph size={14} className={passed ? styles.passed : styles.failed} aria-hidden="true" />
      <span className="unseen">{passed ? 'Met: ' : 'Not met: '}</span>
    </>
  );
}

interface PartsProps {
  readonly parts: readonly TierPart[];
  readonly scale: readonly string[];
}

/** The bar is proportional to money; its labels are attainment. */
function Parts({ parts, scale }: PartsProps) {
  return (
    <>
      {parts.length > 1 ? (
        <div aria-hidden="true">
          <div className={styles.bar}>
            {parts.map(({ name, share }) => (
              <span key={name} style={{ flexGrow: share }} />
            ))}
          </div>
          <div className={styles.scale}>
            {parts.map(({ name, share }, index) => (
              <span key={name} style={{ flexGrow: share, flexBasis: 0 }}>
                {scale[index]}
              </span>
            ))}
            <span>{scale.at(-1)}</span>
          </div>
        </div>
      ) : null}
      <table className={styles.parts}>
        <caption className="unseen">Parts by tier</caption>
        <thead className="unseen">
          <tr>
            <th scope="col">Tier</th>
            <th scope="col">Part</th>
            <th scope="col">Rate</th>
            <th scope="col">Amount</th>
          </tr>
        </thead>
        <tbody>
          {parts.map(({ name, part, rate, amount }) => (
            <tr key={name}>
              <td>
                <span className={styles.dot} aria-hidden="true" />
                {name}
              </td>
              <td className="num">{part}</td>
              <td className="num">{rate}</td>
              <td className="num">{amount}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}
