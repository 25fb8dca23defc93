import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { dealHistoryQuery } from '../../api/deal-history-query.js';
import { type Discrepancy, discrepancyLinesPage, discrepancyLinesQuery } from '../../api/team-queries.js';
import { isPersisted } from '../../app/persisted-state.js';
import { useSession } from '../../app/session.js';
import blocks from '../../components/Blocks.module.css';
import { Button } from '../../components/Button.js';
import { Loaded } from '../../components/Loaded.js';
import { DealLink, StatementLink } from '../../components/links.js';
import { Pager } from '../../components/Pager.js';
import { ChangedValues } from '../../features/deals/ChangedValues.js';
import { authorWords } from '../../features/deals/HistoryCard.js';
import { netChange } from '../../features/deals/net-change.js';
import { DifferenceLines } from '../../features/statements/DifferenceLines.js';
import { formatTimestamp } from '../../shared/format/dates.js';
import { formatMoney } from '../../shared/format/numbers.js';
import { describeCause } from './causes.js';
import { type Resolution, ResolveDialog, resolutionKey } from './ResolveDialog.js';
import styles from './Team.module.css';

/** The lines of the difference, what caused it, and the ways to resolve it. */
export function DiscrepancyDetails({ discrepancy }: { readonly discrepancy: Discrepancy }) {
  const { repId, period, lines, lineCount, causes, currency, status, resolution, carriedForward } = discrepancy;
  return (
    <>
      {lines.length === lineCount || status === 'resolved' ? (
        <DifferenceLines lines={lines} currency={currency} count={lineCount} />
      ) : (
        <PagedLines discrepancy={discrepancy} />
      )}
      {carriedForward === 0 ? null : (
        <p className="dim">Later periods have paid {formatMoney(carriedForward, currency)} of it.</p>
      )}
      <ul className={styles.causes}>
        {causes.map((cause) => (
          <Cause key={`${cause.at} ${cause.kind} ${cause.what}`} cause={cause} causes={causes} lines={lines} />
        ))}
      </ul>
      {resolution === null ? null : (
        <p>
          <span className="strong">{resolution.by?.name ?? 'The service'}</span>, {formatTimestamp(resolution.at)}
          {resolution.reason === null ? '' : `: ${resolution.reason}`}
        </p>
      )}
      <div className={blocks.actions}>
        {status === 'resolved' ? null : <Actions discrepancy={discrepancy} />}
        <StatementLink repId={repId} period={period} className="strong">
          Approved statement
        </StatementLink>
      </div>
    </>
  );
}

/** The lines of a discrepancy that has more of them than the list contains. */
function PagedLines({ discrepancy: { discrepancyId, currency } }: { readonly discrepancy: Discrepancy }) {
  const [page, setPage] = useState(0);
  const lines = useQuery(discrepancyLinesQuery(discrepancyId, page));
  return (
    <Loaded query={lines} height={320}>
      {({ lines: ofPage, count }) => (
        <>
          <DifferenceLines lines={ofPage} currency={currency} count={count} isPaged />
          <Pager
            page={page}
            pageSize={discrepancyLinesPage}
            count={count}
            labels={['Larger', 'Smaller']}
            onChange={setPage}
          />
        </>
      )}
    </Loaded>
  );
}

interface CauseProps {
  readonly cause: Discrepancy['causes'][number];
  /** All causes, oldest first. */
  readonly causes: Discrepancy['causes'];
  readonly lines: Discrepancy['lines'];
}

/** The last cause of a deal names what differs after all of them. */
function Cause({ cause, causes, lines }: CauseProps) {
  const { text, dealId } = describeCause(cause);
  const ofDeal = causes.filter((other) => describeCause(other).dealId === dealId);
  const name = lines.find((line) => line.dealId === dealId)?.dealName ?? null;
  return (
    <li>
      {formatTimestamp(cause.at)}: {text}
      {dealId === null ? null : (
        <>
          , <DealLink dealId={dealId} name={name} />
          {ofDeal.at(-1) === cause ? (
            <Change dealId={dealId} first={ofDeal[0]?.at ?? cause.at} last={cause.at} />
          ) : null}
        </>
      )}
    </li>
  );
}

interface ChangeProps {
  readonly dealId: string;
  readonly first: string;
  readonly last: string;
}

/** What differs in the deal after the causes, if they are of the latest changes, and who made the last one. */
function Change({ dealId, first, last }: ChangeProps) {
  const { data } = useQuery(dealHistoryQuery(dealId));
  const change = netChange(data?.history ?? [], first, last);
  if (change === undefined) return null;
  return (
    <>
      : <ChangedValues change={change} />, <span className="dim">by {authorWords(change)}</span>
    </>
  );
}

const resolutions = ['true_up', 'carry_forward', 'dismiss'] as const satisfies readonly Resolution[];

/** A person does not decide about their own pay, and payroll only reads. */
function Actions({ discrepancy }: { readonly discrepancy: Discrepancy }) {
  const session = useSession();
  const [action, setAction] = useState<Resolution | null>(
    () => resolutions.find((resolution) => isPersisted(resolutionKey(resolution, discrepancy.discrepancyId))) ?? null,
  );
  if (session.role !== 'manager' && session.role !== 'admin') return null;
  if (session.repId === discrepancy.repId)
    return <p className="dim">Another manager or an admin decides about your own statement.</p>;
  return (
    <>
      <Button kind="primary" onClick={() => setAction('true_up')}>
        Pay in the same period
      </Button>
      <Button onClick={() => setAction('carry_forward')}>Pay in the next period</Button>
      {discrepancy.status === 'open' ? <Button onClick={() => setAction('dismiss')}>Dismiss</Button> : null}
      {action === null ? null : (
        <ResolveDialog discrepancy={discrepancy} action={action} onClose={() => setAction(null)} />
      )}
    </>
  );
}
