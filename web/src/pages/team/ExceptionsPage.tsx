import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { reasonTexts } from '#src/client.js';
import {
  acceptedExceptionsQuery,
  type ExceptionGroup,
  type ExceptionList,
  type ExceptionsOf,
  exceptionsOnPage,
  exceptionsPageQuery,
  exceptionsQuery,
  finishedExceptions,
} from '../../api/team-queries.js';
import { useSession } from '../../app/session.js';
import { usePeriod } from '../../app/today.js';
import { Button, LinkButton } from '../../components/Button.js';
import { type Column, DataTable } from '../../components/DataTable.js';
import { DealAmount } from '../../components/DealAmount.js';
import { FailedCalculations } from '../../components/FailedCalculations.js';
import { DealLink, StatementLink } from '../../components/links.js';
import { Card, Page } from '../../components/Page.js';
import { Pager } from '../../components/Pager.js';
import { PeriodPicker } from '../../components/PeriodPicker.js';
import { EmptyState } from '../../components/States.js';
import { Tabs } from '../../components/Tabs.js';
import { FixLink } from '../../features/exceptions/FixLink.js';
import { fixOf } from '../../features/exceptions/fixes.js';
import { LoadedExceptions } from '../../features/exceptions/LoadedExceptions.js';
import { ListedPeople, usePeopleQuery } from '../../features/people/ListedPeople.js';
import { isFiltered, personFilterOf } from '../../features/people/person-filter.js';
import { formatDay, formatInstant } from '../../shared/format/dates.js';
import { formatCount, formatMoney } from '../../shared/format/numbers.js';
import { formatPeriod } from '../../shared/format/periods.js';
import { AcceptDialog, Accepted, type ExceptionDeal, ExpectedCount } from './AcceptException.js';
import styles from './Team.module.css';

const route = getRouteApi('/_shell/exceptions');

/** The deals that were not paid, by reason, with what to do. */
export function ExceptionsPage() {
  const navigate = useNavigate({ from: '/exceptions' });
  const { period: chosen, reason, show, ...search } = route.useSearch();
  const filter = personFilterOf(search);
  const people = usePeopleQuery(filter);
  const period = usePeriod(chosen);
  const isExpected = show === 'expected';
  const exceptions = useQuery(isExpected ? acceptedExceptionsQuery(period, people) : exceptionsQuery(period, people));
  const list = finishedExceptions(exceptions.data);
  const { role } = useSession();
  return (
    <Page
      isInOrder
      title={`${isExpected ? 'Expected to pay nothing' : 'Not paid'} in ${formatPeriod(period)}`}
      crumbs={[{ label: 'Team', to: '/team' }, { label: 'Exceptions' }]}
      facts={list === undefined ? [null] : [formatCount(list.deals, 'deal'), asOfWords(list)]}
      actions={
        <>
          {isExpected ? (
            <Button onClick={() => navigate({ search: { ...filter, period } })}>All deals that did not pay</Button>
          ) : (
            <ExpectedCount
              period={period}
              people={people}
              onShow={() => navigate({ search: { ...filter, period, show: 'expected' } })}
            />
          )}
          <PeriodPicker
            period={period}
            onChange={(next) => navigate({ search: (present) => ({ ...present, period: next }) })}
          />
        </>
      }
    >
      {role === 'admin' ? <FailedCalculations /> : null}
      <LoadedExceptions query={exceptions} height={480}>
        {({ exceptions: groups, deals }) => (
          <>
            <ListedPeople
              filter={filter}
              visible={peopleIn(groups)}
              onFilter={(next) => navigate({ search: (present) => ({ ...present, ...next }), replace: true })}
            />
            {groups.length === 0 ? (
              <EmptyState title={emptyTitle(isExpected, isFiltered(filter))}>
                Deals appear here when they close without a payment, such as for a missing quota or owner.
              </EmptyState>
            ) : (
              <>
                {isFiltered(filter) ? (
                  <p className="dim">
                    {formatCount(deals, 'deal')} of the people who match. Deals without a person match no filter.
                  </p>
                ) : null}
                <Groups
                  groups={groups}
                  visible={{ period, people, accepted: isExpected }}
                  reason={reason}
                  onReason={(next) => navigate({ search: (present) => ({ ...present, reason: next }), replace: true })}
                />
              </>
            )}
          </>
        )}
      </LoadedExceptions>
    </Page>
  );
}

function emptyTitle(isExpected: boolean, isOfSome: boolean): string {
  if (isOfSome)
    return isExpected
      ? 'Nothing of these people is expected to pay nothing'
      : 'Every deal of these people paid as its plan says';
  return isExpected ? 'Nothing is expected to pay nothing' : 'Every deal paid as its plan says';
}

/** Number of people with a deal that is listed. */
function peopleIn(groups: readonly ExceptionGroup[]): number {
  return new Set(groups.flatMap(({ deals }) => deals.flatMap(({ repId }) => repId ?? []))).size;
}

/** When a worker began to calculate the list. */
function asOfWords({ calculatedAt }: ExceptionList): string | null {
  return calculatedAt === undefined ? null : `as of ${formatInstant(calculatedAt)}`;
}

/** Which exceptions are listed. */
type ShownList = Pick<ExceptionsOf, 'period' | 'people' | 'accepted'>;

interface GroupsProps {
  readonly groups: readonly ExceptionGroup[];
  readonly visible: ShownList;
  /** The reason in the address, which may have no deals. */
  readonly reason: string | undefined;
  readonly onReason: (reason: string | undefined) => void;
}

function Groups({ groups, visible, reason, onReason }: GroupsProps) {
  const [accepted, setAccepted] = useState<(Pick<ExceptionGroup, 'reason'> & { readonly deal: ExceptionDeal }) | null>(
    null,
  );
  const chosen = groups.find((group) => group.reason === reason);
  return (
    <>
      <Tabs<string>
        label="Exceptions by reason"
        current={chosen?.reason ?? 'all'}
        onChange={(next) => onReason(next === 'all' ? undefined : next)}
        tabs={[
          { key: 'all', label: 'All' },
          ...groups.map((group) => ({ key: group.reason, label: reasonTexts[group.reason].label, count: group.count })),
        ]}
      />
      {(chosen === undefined ? groups : [chosen]).map((group) => (
        <Group
          key={`${group.reason} ${JSON.stringify(visible)}`}
          group={group}
          visible={visible}
          onAccept={(deal) => setAccepted({ reason: group.reason, deal })}
        />
      ))}
      {accepted === null ? null : <AcceptDialog {...accepted} onClose={() => setAccepted(null)} />}
    </>
  );
}

interface GroupProps {
  readonly group: ExceptionGroup;
  readonly visible: ShownList;
  readonly onAccept: (deal: ExceptionDeal) => void;
}

function Group({ group, visible, onAccept }: GroupProps) {
  const { role, workspace } = useSession();
  const [page, setPage] = useState(0);
  const { reason, meaning, count, entries, totals } = group;
  const later = useQuery({ ...exceptionsPageQuery({ ...visible, reason, page }), enabled: page > 0 });
  const deals = page === 0 ? group.deals : (finishedExceptions(later.data)?.exceptions[0]?.deals ?? group.deals);
  const sums = totals.map(({ currency, amount }) => formatMoney(amount, currency, { unit: 'code' })).join(', ');
  return (
    <Card title={reasonTexts[reason].label} note={`${formatCount(count, 'deal')}, ${sums}`} isFlush>
      <p className={styles.meaning}>{meaning}</p>
      <DataTable
        caption={`Deals: ${reasonTexts[reason].label}`}
        columns={[
          ...columns(visible.period),
          ...(role === 'admin'
            ? [fixColumn(reason, { period: visible.period, currency: workspace.currency }), acceptColumn(onAccept)]
            : []),
        ]}
        rows={deals}
        rowKey={({ dealId, repId }) => `${dealId} ${repId}`}
        isInset
      />
      {entries > exceptionsOnPage ? (
        <div className={styles.more}>
          <Pager
            page={page}
            pageSize={exceptionsOnPage}
            count={entries}
            labels={['Larger', 'Smaller']}
            onChange={setPage}
          />
        </div>
      ) : null}
    </Card>
  );
}

/** What removes the reason for this deal. */
function fixColumn(reason: ExceptionGroup['reason'], place: Parameters<typeof fixOf>[2]): Column<ExceptionDeal> {
  return {
    key: 'fix',
    header: 'Fix',
    align: 'right',
    phone: 'note',
    cell: (deal) => <FixLink fix={fixOf(reason, deal, place)} of={deal.name ?? deal.dealId} />,
  };
}

/** The decision that the deal is expected to pay nothing, or who decided so. */
function acceptColumn(onAccept: (deal: ExceptionDeal) => void): Column<ExceptionDeal> {
  return {
    key: 'accept',
    header: <span className="unseen">Expected</span>,
    align: 'right',
    phone: 'note',
    cell: (deal) =>
      deal.acceptance === undefined ? (
        <LinkButton onClick={() => onAccept(deal)}>
          Expected<span className="unseen">: {deal.name ?? deal.dealId}</span>
        </LinkButton>
      ) : (
        <Accepted deal={deal} />
      ),
  };
}

function columns(period: string): readonly Column<ExceptionDeal>[] {
  return [
    {
      key: 'deal',
      header: 'Deal',
      phone: 'title',
      sortBy: ({ name, dealId }) => name ?? dealId,
      cell: ({ dealId, name }) => <DealLink dealId={dealId} name={name} isRow />,
    },
    {
      key: 'person',
      header: 'Person',
      phone: 'detail',
      sortBy: ({ repName }) => repName ?? null,
      cell: ({ repId, repName }) =>
        repId === null ? (
          <span className="dim">no rep</span>
        ) : (
          <StatementLink repId={repId} period={period} className="ink">
            {repName}
          </StatementLink>
        ),
    },
    {
      key: 'closed',
      header: 'Closed',
      phone: 'detail',
      sortBy: ({ closeDate }) => closeDate ?? null,
      cell: ({ closeDate }) => <span className="dim">{closeDate === null ? '–' : formatDay(closeDate)}</span>,
    },
    { key: 'rules', header: 'Rule', cell: (deal) => <Rules deal={deal} /> },
    {
      key: 'amount',
      header: 'Deal amount',
      align: 'right',
      phone: 'amount',
      sortBy: ({ amount }) => amount ?? null,
      cell: ({ amount, currency }) => <DealAmount amount={amount} currency={currency} />,
    },
  ];
}

function Rules({ deal: { rules, missing } }: { readonly deal: ExceptionDeal }) {
  const names = rules.flatMap(({ ruleName, planName }) => ruleName ?? planName ?? []);
  return (
    <>
      {names.length === 0 ? <span className="dim">–</span> : [...new Set(names)].join(', ')}
      {missing.length === 0 ? null : <span className="second">missing: {missing.join(', ')}</span>}
    </>
  );
}
