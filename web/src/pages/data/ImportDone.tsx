import { IconAlertTriangle, IconCircleCheck } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import blocks from '../../components/Blocks.module.css';
import { Button, buttonClass } from '../../components/Button.js';
import { JobProgress } from '../../components/JobProgress.js';
import { Note } from '../../components/Note.js';
import { type ImportOutcome } from '../../features/imports/kind.js';
import { rejectedRows } from '../../features/imports/results.js';
import { formatCount, formatNumber } from '../../shared/format/numbers.js';
import styles from './Import.module.css';
import { type Import } from './use-import.js';

interface ImportDoneProps {
  readonly currentImport: Import;
  readonly outcome: ImportOutcome;
  readonly onRestart: () => void;
  /** Goes back to the rejected rows. */
  readonly onCorrect: () => void;
}

const lists = {
  deals: ['/deals', 'See the deals'],
  lines: ['/deals', 'See the deals'],
  people: ['/members', 'See the people'],
  quotas: ['/quotas', 'See the quotas'],
  assignments: ['/assignments', 'See the assignments'],
  splits: ['/deals', 'See the deals'],
  absences: ['/members', 'See the people'],
  invoices: ['/deals', 'See the deals'],
  refunds: ['/deals', 'See the deals'],
  draws: ['/members', 'See the people'],
  contracts: ['/deals', 'See the deals'],
  companies: ['/members', 'See the people'],
  openingLots: ['/month-end', 'See the month-end'],
  writeOffs: ['/month-end', 'See the month-end'],
  estimates: ['/month-end', 'See the month-end'],
} as const;

/** What was imported, the calculation that follows, and the rows that are still out. */
export function ImportDone({ currentImport, outcome, onRestart, onCorrect }: ImportDoneProps) {
  const { kind } = currentImport;
  const [to, words] = lists[kind.key];
  const rejected = rejectedRows(outcome).length;
  return (
    <div className={blocks.stack}>
      <Note tone="info" icon={IconCircleCheck} title={`${formatCount(outcome.accepted, kind.one, kind.many)} imported`}>
        {outcome.counts
          .filter(([label, count]) => count > 0 && label !== 'Rejected')
          .map(([label, count]) => `${formatNumber(count)} ${label.toLowerCase()}`)
          .join(', ')}
      </Note>
      {outcome.owners === undefined || outcome.owners.rowsWithUnknownOwner === 0 ? null : (
        <Note
          tone="warning"
          icon={IconAlertTriangle}
          title={`${formatCount(outcome.owners.rowsWithUnknownOwner, 'deal')} with an owner who matches no person`}
          actions={
            <Link to="/owners" className={buttonClass({ kind: 'primary' })}>
              Match owners
            </Link>
          }
        >
          They pay no commission until you match the owner with a person.
        </Note>
      )}
      {outcome.jobId === undefined ? null : <JobProgress jobId={outcome.jobId} />}
      {rejected === 0 ? null : (
        <Note
          tone="warning"
          icon={IconAlertTriangle}
          title={`${formatCount(rejected, 'row')} rejected`}
          actions={<Button onClick={onCorrect}>Correct the rows</Button>}
        >
          These rows were not imported.
        </Note>
      )}
      <div className={styles.final}>
        <Button size="final" onClick={onRestart}>
          Import another file
        </Button>
        <Link to={to} className={buttonClass({ kind: 'primary', size: 'final' })}>
          {words}
        </Link>
      </div>
    </div>
  );
}
