import { IconAlertTriangle, IconHistory, IconMessageQuestion } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type Change, useAction } from '../../../api/change.js';
import { api } from '../../../api/client.js';
import { type Line, statementQuery } from '../../../api/queries.js';
import { type TeamStatement, versionQuery } from '../../../api/team-queries.js';
import { Button } from '../../../components/Button.js';
import { Facing } from '../../../components/Facing.js';
import { StatementLink } from '../../../components/links.js';
import { Money } from '../../../components/Money.js';
import { Note } from '../../../components/Note.js';
import { typeWords } from '../../../features/disputes/words.js';
import { OwnChanges } from '../../../features/statements/OwnChanges.js';
import { livePaid, paidOf } from '../../../features/statements/pay-sums.js';
import { formatInstant } from '../../../shared/format/dates.js';
import { difference } from '../../../shared/format/exact.js';
import { formatMoney } from '../../../shared/format/numbers.js';
import { formatPeriod } from '../../../shared/format/periods.js';
import styles from './Approvals.module.css';
import { type ApprovalRow } from './approval-rows.js';
import { changedLines } from './changed-lines.js';
import { paidThenAndNow, type SeenStatement } from './seen-statements.js';

interface HoldNoteProps {
  readonly row: ApprovalRow;
  readonly period: string;
  readonly onAccept: (statement: TeamStatement) => void;
}

/** Why a row needs a review, and the button that ends it. Null for rows that need none. */
export function HoldNote({ row, period, onAccept }: HoldNoteProps) {
  const { hold, statement } = row;
  if (hold?.kind === 'review' && hold.reason === 'changed')
    return <ChangedNote statement={statement} seen={hold.seen} period={period} onAccept={onAccept} />;
  if (hold?.kind === 'review' && hold.reason === 'unusual')
    return <UnusualNote statement={statement} deviations={hold.deviations} period={period} onAccept={onAccept} />;
  if (hold?.kind === 'review' && hold.reason === 'own_changes')
    return <OwnChangesNote statement={statement} period={period} onAccept={onAccept} />;
  if (hold?.kind === 'blocked' && hold.reason === 'stale')
    return <StaleNote statement={statement} period={period} onAccept={onAccept} />;
  if (hold?.kind !== 'question') return null;
  const [first, ...others] = hold.disputes;
  if (first === undefined) return null;
  return (
    <Note
      tone="info"
      icon={IconMessageQuestion}
      title={`${first.openedBy ?? 'A question'}: ${typeWords(first.type)}, ${formatPeriod(first.period)}`}
      actions={
        <Link to="/questions/$disputeId" params={{ disputeId: first.disputeId }} className="strong">
          Answer
        </Link>
      }
    >
      <p className={styles.quote}>{first.description}</p>
      {others.length === 0 ? null : <p className="dim">and {others.length} more</p>}
    </Note>
  );
}

interface NoteProps {
  readonly statement: TeamStatement;
  readonly period: string;
  readonly onAccept: (statement: TeamStatement) => void;
}

/** Records that the manager has checked the version, for everyone who may approve it. */
function useCheck({ statement, period, onAccept }: NoteProps): Change {
  const { repId, version } = statement;
  return useAction({
    send: () => api.checkStatement({ params: { repId }, body: { period, version } }),
    reloads: { queryKey: ['team-statements', period] },
    onDone: () => onAccept(statement),
  });
}

function ChangedNote(props: NoteProps & { readonly seen: SeenStatement }) {
  const { statement, period, seen } = props;
  const { repId, currency, version } = statement;
  const paid = paidThenAndNow(seen, statement);
  const check = useCheck(props);
  const before = useQuery(versionQuery(repId, period, seen.version));
  const after = useQuery(versionQuery(repId, period, version));
  return (
    <Note
      tone="info"
      icon={IconHistory}
      title={`Changed since you looked ${formatInstant(seen.at)}`}
      figures={
        <Figures
          currency={paid.currency}
          rows={[
            [`v${seen.version}, seen`, paid.before],
            [`v${version}, now`, paid.now],
          ]}
        />
      }
      actions={
        <>
          <StatementLink repId={repId} period={period} className="strong">
            Lines
          </StatementLink>
          <Button isBusy={check.isBusy} onClick={() => check.send()}>
            Accept v{version}
          </Button>
        </>
      }
    >
      <Reason before={before.data?.lineItems} after={after.data?.lineItems} currency={currency} />
    </Note>
  );
}

function StaleNote(props: NoteProps) {
  const { statement, period, onAccept } = props;
  const { repId, currency, version, summary } = statement;
  const nowPaid = livePaid(statement);
  const stored = useQuery(versionQuery(repId, period, version));
  const live = useQuery(statementQuery(repId, period, true));
  const generate = useAction({
    send: async () => {
      const { version: generated, summary: now } = await api.generateStatement({ params: { repId }, body: { period } });
      // What was displayed as the present amount counts as seen; any other amount is a change.
      if (paidOf(now) === nowPaid) onAccept({ ...statement, version: generated, summary: now });
    },
    reloads: { queryKey: ['team-statements', period] },
  });
  return (
    <Note
      tone="info"
      icon={IconHistory}
      title="Changed since this draft was generated"
      figures={
        <Figures
          currency={currency}
          rows={[
            [`v${version}, draft`, paidOf(summary)],
            ['now', nowPaid ?? paidOf(summary)],
          ]}
        />
      }
      actions={
        <Button isBusy={generate.isBusy} onClick={() => generate.send()}>
          Generate v{version + 1}
        </Button>
      }
    >
      <Reason before={stored.data?.lineItems} after={live.data?.lineItems} currency={currency} />
    </Note>
  );
}

function UnusualNote(props: NoteProps & { readonly deviations: number }) {
  const { statement, period, deviations } = props;
  const { repId, currency, version } = statement;
  const check = useCheck(props);
  const lines = useQuery(versionQuery(repId, period, version)).data?.lineItems ?? [];
  const largest = lines.reduce<Line | null>((found, line) => (line.amount > (found?.amount ?? 0) ? line : found), null);
  return (
    <Note
      tone="warning"
      icon={IconAlertTriangle}
      title={`Unusually ${deviations < 0 ? 'low' : 'high'} compared with the last 12 months`}
      actions={
        <>
          <StatementLink repId={repId} period={period} className="strong">
            Explain
          </StatementLink>
          <Button isBusy={check.isBusy} onClick={() => check.send()}>
            Mark as checked
          </Button>
        </>
      }
    >
      {largest === null || largest.dealId === null ? null : (
        <p>
          {largest.dealName ?? largest.dealId} pays {formatMoney(largest.amount, currency)} of it.
        </p>
      )}
    </Note>
  );
}

/** What the person changed themself, which another person must look at. */
function OwnChangesNote(props: NoteProps) {
  const { statement, period } = props;
  const check = useCheck(props);
  return (
    <Note
      tone="warning"
      icon={IconAlertTriangle}
      title={`Changed by ${statement.name} themself`}
      actions={
        <>
          <StatementLink repId={statement.repId} period={period} className="strong">
            Lines
          </StatementLink>
          <Button isBusy={check.isBusy} onClick={() => check.send()}>
            Mark as checked
          </Button>
        </>
      }
    >
      <OwnChanges changes={statement.ownChanges} />
    </Note>
  );
}

interface FiguresProps {
  readonly currency: string;
  /** First the earlier amount, then the present one. */
  readonly rows: readonly [readonly [string, number], readonly [string, number]];
}

function Figures({ currency, rows: [before, after] }: FiguresProps) {
  return (
    <Facing
      rows={[
        ...[before, after].map(
          ([label, amount]) => [label, <Money key={label} amount={amount} currency={currency} unit="none" />] as const,
        ),
        [
          'Change',
          <Money key="change" amount={difference(after[1], before[1])} currency={currency} unit="none" signed />,
        ],
      ]}
    />
  );
}

interface ReasonProps {
  readonly before: readonly Line[] | undefined;
  readonly after: readonly Line[] | undefined;
  readonly currency: string;
}

/** The largest differences in one sentence. */
function Reason({ before, after, currency }: ReasonProps) {
  if (before === undefined || after === undefined) return <p className="dim">Comparing the lines</p>;
  const [first, second, ...others] = changedLines(before, after);
  if (first === undefined) return <p>Details of the lines changed, not their amounts.</p>;
  const words = [first, ...(second === undefined ? [] : [second])].map(
    ({ name, ruleName, delta }) => `${name}, ${ruleName} ${formatMoney(delta, currency, { signed: true })}`,
  );
  return (
    <p>
      {words.join('; ')}
      {others.length === 0 ? '.' : `; and ${others.length} more lines.`}
    </p>
  );
}
