import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useAction, useChange } from '../../api/change.js';
import { api } from '../../api/client.js';
import { type Accounting, type AccountingMonth } from '../../api/finance-queries.js';
import { showMessage } from '../../app/messages.js';
import { mayOpen } from '../../app/navigation.js';
import { usePersistedForm } from '../../app/persisted-state.js';
import { useSession } from '../../app/session.js';
import { Button } from '../../components/Button.js';
import { Dialog } from '../../components/Dialog.js';
import { TextField } from '../../components/Field.js';
import { Card } from '../../components/Page.js';
import { ProgressBar } from '../../components/ProgressBar.js';
import { Badge } from '../../components/StatusBadge.js';
import { formatTimestamp } from '../../shared/format/dates.js';
import { formatMoney, formatNumber } from '../../shared/format/numbers.js';
import { formatPeriod } from '../../shared/format/periods.js';
import styles from './Finance.module.css';
import { findings } from './words.js';

interface MonthCardProps {
  readonly accounting: Accounting;
  readonly month: AccountingMonth;
}

const badges = {
  open: { tone: 'neutral', words: 'Open' },
  prepared: { tone: 'info', words: 'Prepared' },
  closed: { tone: 'good', words: 'Closed' },
} as const;

/** The checklist of a month, and the next step towards its closing. */
export function MonthCard({ accounting, month }: MonthCardProps) {
  const { tone, words } = badges[month.status];
  return (
    <Card
      title={`Books of ${formatPeriod(month.month)}`}
      note={describeState(month, accounting)}
      action={<Badge tone={tone}>{month.status === 'closed' ? `${words} v${month.version}` : words}</Badge>}
    >
      <Points month={month} />
      {month.job === undefined ? <Steps month={month} /> : <Preparing job={month.job} />}
    </Card>
  );
}

function describeState({ status, closedAt, preparedAt, posted, reopening }: AccountingMonth, accounting: Accounting) {
  if (reopening !== null) return `Reopening was requested: ${reopening.reason}. Another admin reopens it.`;
  if (posted !== null) return `Posted as ${posted.reference}, and stays closed`;
  if (status === 'closed') return `closed on ${formatTimestamp(closedAt ?? '')}`;
  if (status === 'prepared')
    return `prepared on ${formatTimestamp(preparedAt ?? '')}${accounting.secondPerson ? '. Another admin closes it' : ''}`;
  return 'changes of closed months are in the first open one';
}

function Points({ month: { checklist } }: Pick<MonthCardProps, 'month'>) {
  const { role } = useSession();
  const points = [
    ...checklist.blocking.map((point) => ({ ...point, tone: 'negative' as const, label: 'Stops the closing' })),
    ...checklist.warnings.map((point) => ({ ...point, tone: 'warning' as const, label: 'Look at it' })),
  ];
  if (points.length === 0) return <p>Nothing stops the closing.</p>;
  return (
    <ul className={styles.points}>
      {points.map(({ code, count, amounts = [], tone, label }) => {
        const { words, to } = findings[code];
        return (
          <li key={code}>
            <Badge tone={tone}>{label}</Badge>{' '}
            {to === undefined || !mayOpen(role, to) ? (
              words
            ) : (
              <Link to={to as '/payroll'} search={{}} className="ink">
                {words}
              </Link>
            )}
            : <span className="num">{count}</span>
            {amounts.length === 0 ? null : (
              <span className="num dim">
                {' '}
                ({amounts.map(({ amount, currency }) => formatMoney(amount, currency)).join(', ')})
              </span>
            )}
          </li>
        );
      })}
    </ul>
  );
}

/** The job that prepares the month. It continues when the page is closed. */
function Preparing({ job: { progress } }: { readonly job: NonNullable<AccountingMonth['job']> }) {
  const { done, total } = progress;
  const ratio = total === 0 ? 1 : done / total;
  const percent = Math.floor(ratio * 100);
  return (
    <div className={styles.preparing}>
      <ProgressBar ratio={ratio} label={`${percent} % of the books are computed`} />
      <p className="dim">
        Preparing: {formatNumber(done)} of {formatNumber(total)} people
      </p>
      {/* Screen readers hear every quarter. */}
      <span className="unseen" role="status">
        {Math.floor(percent / 25) * 25} %
      </span>
    </div>
  );
}

function Steps({ month: { month, status, hash, checklist, posted } }: Pick<MonthCardProps, 'month'>) {
  const { role } = useSession();
  const [opened, setOpened] = useState<'reopen' | 'posted' | null>(null);
  const params = { month };
  const prepare = useAction({
    send: () => api.prepareAccountingMonth({ params }),
    onDone: ({ job }) => {
      if (job === undefined) showMessage(`${formatPeriod(month)} is prepared.`);
    },
  });
  const cancel = useAction({ send: () => api.cancelAccountingPreparation({ params }) });
  const close = useAction({
    send: () => api.closeAccountingMonth({ params, body: { hash: hash ?? '' } }),
    onDone: () => showMessage(`${formatPeriod(month)} is closed.`),
  });
  const isAdmin = role === 'admin';
  if (role === 'finance' || role === 'auditor') return null;
  return (
    <div className={styles.steps}>
      {status === 'open' ? (
        <Button
          kind="primary"
          isBusy={prepare.isBusy}
          disabled={checklist.blocking.length > 0}
          onClick={() => prepare.send()}
        >
          Prepare
        </Button>
      ) : null}
      {status === 'prepared' ? (
        <>
          {isAdmin ? (
            <Button kind="primary" isBusy={close.isBusy} onClick={() => close.send()}>
              Close the month
            </Button>
          ) : null}
          <Button isBusy={cancel.isBusy} onClick={() => cancel.send()}>
            Take the preparation back
          </Button>
        </>
      ) : null}
      {status === 'closed' && posted === null ? (
        <>
          <Button onClick={() => setOpened('posted')}>Record as posted</Button>
          {isAdmin ? <Button onClick={() => setOpened('reopen')}>Reopen</Button> : null}
        </>
      ) : null}
      {opened === 'reopen' ? <ReopenDialog month={month} onClose={() => setOpened(null)} /> : null}
      {opened === 'posted' ? <PostedDialog month={month} onClose={() => setOpened(null)} /> : null}
    </div>
  );
}

interface MonthDialogProps {
  readonly month: string;
  readonly onClose: () => void;
}

function ReopenDialog({ month, onClose }: MonthDialogProps) {
  const form = usePersistedForm(`reopen-${month}`, { reason: '' });
  const change = useChange({
    send: () => api.reopenAccountingMonth({ params: { month }, body: { reason: form.values.reason } }),
    onDone: ({ status }) => {
      form.clear();
      showMessage(status === 'open' ? 'The month is open.' : 'Another admin can reopen the month now.');
      onClose();
    },
  });
  return (
    <Dialog
      title={`Reopen ${formatPeriod(month)}`}
      onClose={onClose}
      onSubmit={() => change.send()}
      change={change}
      form={form}
      action={{ disabled: form.values.reason.trim() === '', children: 'Reopen' }}
    >
      <p>One admin requests it with a reason, another one does it. The closing stays in the history.</p>
      <TextField label="Reason" maxLength={1000} {...form.field('reason')} />
    </Dialog>
  );
}

function PostedDialog({ month, onClose }: MonthDialogProps) {
  const form = usePersistedForm(`posted-${month}`, { reference: '' });
  const change = useChange({
    send: () => api.recordPostedJournals({ params: { month }, body: { reference: form.values.reference } }),
    onDone: () => {
      form.clear();
      showMessage('The month stays closed.');
      onClose();
    },
  });
  return (
    <Dialog
      title="Record as posted"
      onClose={onClose}
      onSubmit={() => change.send()}
      change={change}
      form={form}
      action={{ disabled: form.values.reference.trim() === '', children: 'Record' }}
    >
      <p>After that, {formatPeriod(month)} stays closed. Later changes are in the first open month.</p>
      <TextField label="Reference in your books" maxLength={200} {...form.field('reference')} />
    </Dialog>
  );
}
