import { type Handover, handoverJobsQuery, type PayrollFile } from '../../api/payroll-queries.js';
import { useJobs } from '../../app/jobs.js';
import { showMessage } from '../../app/messages.js';
import { usePersistedDialog } from '../../app/persisted-state.js';
import { mayPay, useSession } from '../../app/session.js';
import { Button } from '../../components/Button.js';
import { Card } from '../../components/Page.js';
import { Badge } from '../../components/StatusBadge.js';
import { Steps } from '../../components/Steps.js';
import { type Sum } from '../../features/statements/pay-sums.js';
import { formatTimestamp } from '../../shared/format/dates.js';
import { formatCount, formatMoney } from '../../shared/format/numbers.js';
import { formatPeriod } from '../../shared/format/periods.js';
import { HandoverDialog } from './HandoverDialog.js';
import { findHandover, hasNothingNew } from './handover.js';
import { describeFile } from './layouts.js';
import styles from './Payroll.module.css';

interface HandoverCardProps {
  readonly period: string;
  /** Null while there is none in the chosen layout. */
  readonly file: PayrollFile | null;
  readonly totals: readonly Sum[];
  readonly isEqual: boolean;
  readonly downloadedAt: string | null;
  /** The recorded hand-overs of the period, latest first. */
  readonly handovers: readonly Handover[];
  /** Whether everyone is in the file. */
  readonly isComplete: boolean;
}

/** The steps to a recorded hand-over, and the hand-overs of the period. */
export function HandoverCard(props: HandoverCardProps) {
  const { period, file, isEqual, downloadedAt, handovers } = props;
  const [isConfirming, setConfirming] = usePersistedDialog(`hand-over ${period}`);
  const { running, watch } = useJobs(handoverJobsQuery(period), ({ error }) =>
    showMessage(error ?? `${formatPeriod(period)} is marked as handed over.`, error === undefined),
  );
  const recorded = file === null ? null : findHandover(handovers, file);
  const rows = formatCount(file?.rows.length ?? 0, 'row');
  const isReady = file !== null && isEqual && file.rows.length > 0;
  const isDone = file !== null && isEqual && hasNothingNew(file);
  return (
    <Card title="Hand-over" isFlush>
      <div className={styles.steps}>
        <Steps
          label="Steps of the hand-over"
          steps={[
            {
              title: 'Totals checked',
              isDone: isReady || isDone,
              detail: isDone
                ? 'Everything that is approved was handed over'
                : isReady
                  ? 'File and ledger are equal to the cent'
                  : 'The file has to equal the ledger',
            },
            {
              title: 'File downloaded',
              isDone: isDone || downloadedAt !== null,
              detail: isDone
                ? 'Nothing to download'
                : downloadedAt === null
                  ? 'Not in this browser yet'
                  : `${rows}, ${formatTimestamp(downloadedAt)}`,
            },
            {
              title: 'Handed over',
              isDone: recorded !== null,
              detail:
                recorded === null
                  ? 'Records the file with your name and the time'
                  : `${recorded.actor.name}, ${formatTimestamp(recorded.createdAt)}`,
            },
          ]}
        />
        <Recorded handovers={handovers} />
      </div>
      <Foot
        {...props}
        isReady={isReady}
        isBusy={running !== undefined}
        recorded={recorded}
        onStart={() => setConfirming(true)}
      />
      {isConfirming && file !== null ? (
        <HandoverDialog
          period={period}
          file={file}
          totals={props.totals}
          isRepeated={handovers.length > 0}
          onStarted={watch}
          onClose={() => setConfirming(false)}
        />
      ) : null}
    </Card>
  );
}

function Recorded({ handovers }: Pick<HandoverCardProps, 'handovers'>) {
  if (handovers.length === 0) return null;
  return (
    <ul aria-label="Recorded hand-overs" className={styles.recorded}>
      {handovers.map(({ handoverId, actor, createdAt, layout, scope, rowCount, totals, note, filename }) => (
        <li key={handoverId}>
          <span>
            <span className="strong">{formatTimestamp(createdAt)}</span> {actor.name}, {describeFile({ layout, scope })}
            , {formatCount(rowCount, 'row')}
            {note === null ? '' : `, “${note}”`}
            <span className="second">{filename}</span>
          </span>
          <span className="num strong">
            {totals.map(({ currency, netPayout }) => formatMoney(netPayout, currency)).join(', ')}
          </span>
        </li>
      ))}
    </ul>
  );
}

interface FootProps extends HandoverCardProps {
  readonly isReady: boolean;
  /** Whether a worker records a hand-over of the period. */
  readonly isBusy: boolean;
  readonly recorded: Handover | null;
  readonly onStart: () => void;
}

/** The end of the steps, for those who hand over: managers too, the files of their teams. */
function Foot({ handovers, isComplete, isReady, isBusy, recorded, onStart }: FootProps) {
  const { role } = useSession();
  if (role !== 'manager' && !mayPay(role)) return null;
  return (
    <div className={styles.foot}>
      <p>{describeEffect(handovers, isComplete)}</p>
      {recorded === null ? (
        <>
          <span className="unseen" role="status">
            {isBusy ? 'The hand-over is being recorded' : ''}
          </span>
          <Button kind="primary" size="final" disabled={!isReady} isBusy={isBusy} onClick={onStart}>
            {isBusy ? 'Recording the hand-over…' : 'Mark as handed over'}
          </Button>
        </>
      ) : (
        <Badge tone="good">Handed over</Badge>
      )}
    </div>
  );
}

function describeEffect(handovers: readonly Handover[], isComplete: boolean): string {
  const later = 'Later changes become discrepancies and never alter this file.';
  if (handovers.length > 0)
    return `${later} What is approved from now on follows in a further file, which contains only what is new.`;
  return isComplete ? later : `${later} The people above are not in it.`;
}
