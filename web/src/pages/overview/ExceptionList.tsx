import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { reasonTexts } from '#src/client.js';
import { type ExceptionGroup, exceptionsQuery } from '../../api/team-queries.js';
import { useSession } from '../../app/session.js';
import { type Column, DataTable } from '../../components/DataTable.js';
import { LedgerTotal, Money } from '../../components/Money.js';
import { ProgressBar } from '../../components/ProgressBar.js';
import { rowAction } from '../../components/row-keys.js';
import { FixLink } from '../../features/exceptions/FixLink.js';
import { fixOfGroup } from '../../features/exceptions/fixes.js';
import { LoadedExceptions } from '../../features/exceptions/LoadedExceptions.js';
import { sumAmounts } from '../../shared/format/exact.js';
import { formatCount, formatMoney, formatPercent } from '../../shared/format/numbers.js';
import styles from './Overview.module.css';

/** Deals that pay nothing, by reason, with the page on which the reason is removed. */
export function ExceptionList({ period }: { readonly period: string }) {
  const { workspace } = useSession();
  const exceptions = useQuery(exceptionsQuery(period));
  return (
    <section>
      <div className={styles.head}>
        <h2>Exceptions, by reason</h2>
        <Link to="/exceptions" search={{ period }}>
          All deals
        </Link>
      </div>
      <LoadedExceptions query={exceptions} height={280}>
        {({ exceptions: groups, deals }) =>
          groups.length === 0 ? (
            <p className="dim">No deal of the period needs attention.</p>
          ) : (
            <DataTable
              caption="Exceptions by reason"
              columns={buildColumns(period, workspace.currency, groups)}
              rows={byAmount(groups, workspace.currency)}
              rowKey={({ reason }) => reason}
              rowHeight={50}
              total={{
                reason: `Total in ${workspace.currency}`,
                deals: <span className="num">{deals}</span>,
                value: (
                  <LedgerTotal amount={distinctAmount(groups, workspace.currency)} currency={workspace.currency} />
                ),
              }}
            />
          )
        }
      </LoadedExceptions>
    </section>
  );
}

function formatEntryAmount({ totals }: ExceptionGroup, currency: string): number {
  return totals.find((total) => total.currency === currency)?.amount ?? 0;
}

/** A deal may have several reasons and counts once, as far as the lists name the deals. */
export function distinctAmount(groups: readonly ExceptionGroup[], currency: string): string {
  const isComplete = groups.every(({ count, deals }) => count <= deals.length);
  if (!isComplete) return sumAmounts(groups.map((group) => formatEntryAmount(group, currency)));
  const deals = groups.flatMap((group) => group.deals).filter((deal) => (deal.currency ?? currency) === currency);
  return sumAmounts([...new Map(deals.map(({ dealId, amount }) => [dealId, amount ?? 0])).values()]);
}

function byAmount(groups: readonly ExceptionGroup[], currency: string): readonly ExceptionGroup[] {
  return [...groups].sort((a, b) => formatEntryAmount(b, currency) - formatEntryAmount(a, currency));
}

function buildColumns(
  period: string,
  currency: string,
  groups: readonly ExceptionGroup[],
): readonly Column<ExceptionGroup>[] {
  const largest = Math.max(1, ...groups.map((group) => Math.abs(formatEntryAmount(group, currency))));
  return [
    {
      key: 'reason',
      header: 'Reason',
      phone: 'title',
      cell: ({ reason, deals }) => (
        <>
          <Link to="/exceptions" search={{ period, reason }} className="ink strong" {...rowAction}>
            {reasonTexts[reason].label}
          </Link>
          <span className="second">{describePeople(deals)}</span>
        </>
      ),
    },
    {
      key: 'deals',
      header: 'Deals',
      align: 'right',
      phone: 'detail',
      sortBy: ({ count }) => count,
      cell: ({ count }) => <span className="num">{count}</span>,
    },
    {
      key: 'value',
      header: `Deal value, ${currency}`,
      align: 'right',
      phone: 'amount',
      sortBy: (group) => formatEntryAmount(group, currency),
      cell: (group) => <Value group={group} currency={currency} largest={largest} />,
    },
    {
      key: 'fix',
      header: 'Fix',
      align: 'right',
      phone: 'note',
      cell: (group) => <FixLink fix={fixOfGroup(group, { period, currency })} />,
    },
  ];
}

interface ValueProps {
  readonly group: ExceptionGroup;
  readonly currency: string;
  /** The largest amount of all groups. */
  readonly largest: number;
}

function Value({ group, currency, largest }: ValueProps) {
  const amount = formatEntryAmount(group, currency);
  const share = Math.abs(amount) / largest;
  const others = group.totals.filter((total) => total.currency !== currency);
  if (amount === 0 && others.length > 0)
    return (
      <span className="dim num">
        {others.map((other) => formatMoney(other.amount, other.currency, { unit: 'code' })).join(', ')}
      </span>
    );
  return (
    <>
      <Money amount={amount} currency={currency} unit="none" />
      <span className={styles.amountBar}>
        <ProgressBar ratio={share} label={`${formatPercent(share, 0)} of the largest`} isThin />
      </span>
    </>
  );
}

function describePeople(deals: ExceptionGroup['deals']): string {
  const names = [...new Set(deals.flatMap(({ repName }) => repName ?? []))];
  if (names.length === 0) return '';
  return names.length <= 2 ? names.join(', ') : formatCount(names.length, 'person', 'people');
}
