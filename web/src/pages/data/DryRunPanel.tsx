import { Money } from '../../components/Money.js';
import { type ImportKind, type ImportOutcome } from '../../features/imports/kind.js';
import { formatCount, formatNumber } from '../../shared/format/numbers.js';
import styles from './Import.module.css';
import { OwnersOfFile } from './OwnersOfFile.js';

interface DryRunPanelProps {
  readonly kind: ImportKind;
  /** What prevents a dry run. */
  readonly problems: readonly string[];
  readonly outcome: ImportOutcome | undefined;
  readonly isRunning: boolean;
  readonly error: string | null;
  /** Below the counts. */
  readonly children?: React.ReactNode;
}

const tones = ['first', 'second'] as const;

/** What the import would do, in numbers of rows. */
export function DryRunPanel({ kind, problems, outcome, isRunning, error, children }: DryRunPanelProps) {
  return (
    <section className={styles.dryRun} aria-label="Dry run" aria-busy={isRunning}>
      <div className={styles.panelHead}>
        <h2>Dry run</h2>
        <span className="dim">{isRunning ? 'checking …' : 'writes nothing'}</span>
      </div>
      {problems.map((problem) => (
        <p key={problem} className={styles.warning}>
          {problem}
        </p>
      ))}
      {error === null ? null : (
        <p role="alert" className={styles.problem}>
          {error}
        </p>
      )}
      {outcome === undefined ? null : <Counts kind={kind} outcome={outcome} />}
      {outcome?.owners === undefined ? null : <OwnersOfFile owners={outcome.owners} />}
      {children}
    </section>
  );
}

interface CountsProps {
  readonly kind: ImportKind;
  readonly outcome: ImportOutcome;
}

function Counts({ kind, outcome: { counts, warnings, costly = [], totals = [] } }: CountsProps) {
  const total = counts.reduce((sum, [, count]) => sum + count, 0);
  const toneOf = (index: number) => (index === counts.length - 1 ? 'last' : tones[index]);
  return (
    <>
      <div className={styles.bar} aria-hidden="true">
        {counts.map(([label, count], index) =>
          count === 0 ? null : <span key={label} data-part={toneOf(index)} style={{ flexGrow: count }} />,
        )}
      </div>
      <dl className={styles.counts}>
        {counts.map(([label, count], index) => (
          <div key={label}>
            <dt>
              <span className={styles.swatch} data-part={toneOf(index)} aria-hidden="true" />
              {label}
            </dt>
            <dd className="num">{formatNumber(count)}</dd>
          </div>
        ))}
        <div className={styles.sum}>
          <dt>{kind.many.charAt(0).toUpperCase() + kind.many.slice(1)}</dt>
          <dd>
            <span className="num ledger-total">{formatNumber(total)}</span>
          </dd>
        </div>
        {totals.map(({ currency, amount }) => (
          <div key={currency}>
            <dt>Sum of the amounts</dt>
            <dd>
              <Money amount={amount} currency={currency} />
            </dd>
          </div>
        ))}
      </dl>
      {costly.map((words) => (
        <p key={words} className={styles.problem}>
          {words}
        </p>
      ))}
      {warnings.length === 0 ? null : (
        <details className={styles.notes} open={warnings.length <= 3}>
          <summary>{formatCount(warnings.length, 'note')}</summary>
          <ul>
            {warnings.map((warning) => (
              <li key={warning}>{warning}</li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}
