import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import {
  allDisputesQuery,
  type Dispute,
  disputeCountsQuery,
  isWaiting,
  waitingDisputesQuery,
} from '../../api/queries.js';
import { type Column, DataTable } from '../../components/DataTable.js';
import { RowHints } from '../../components/Kbd.js';
import { Loaded } from '../../components/Loaded.js';
import { Money } from '../../components/Money.js';
import { Page } from '../../components/Page.js';
import { rowAction } from '../../components/row-keys.js';
import { EmptyState } from '../../components/States.js';
import { Tabs } from '../../components/Tabs.js';
import { DisputeBadge } from '../../features/disputes/DisputeBadge.js';
import { disputeTitle } from '../../features/disputes/words.js';
import { formatInstant } from '../../shared/format/dates.js';
import { formatCount } from '../../shared/format/numbers.js';
import { formatPeriod } from '../../shared/format/periods.js';
import styles from './Team.module.css';

const route = getRouteApi('/_shell/questions');

/** The disputes of the team. A row opens the thread with the evidence and the decision. */
export function TeamQuestionsPage() {
  const navigate = useNavigate({ from: '/questions' });
  const tab = route.useSearch().tab ?? 'waiting';
  const counts = useQuery(disputeCountsQuery);
  const waiting = useQuery({ ...waitingDisputesQuery, enabled: tab === 'waiting' });
  const all = useQuery({ ...allDisputesQuery, enabled: tab !== 'waiting' });
  return (
    <Page
      title="Questions"
      crumbs={[{ label: 'Team', to: '/team' }, { label: 'Questions' }]}
      facts={[counts.data === undefined ? null : formatCount(counts.data.all, 'question')]}
    >
      <Loaded query={counts} height={320}>
        {(count) => (
          <div>
            <Tabs
              label="Questions by state"
              current={tab}
              onChange={(next) => navigate({ search: { tab: next } })}
              tabs={[
                { key: 'waiting', label: 'Waiting', count: count.waiting },
                { key: 'decided', label: 'Decided', count: count.all - count.waiting },
                { key: 'all', label: 'All', count: count.all },
              ]}
              side={<RowHints action="open" />}
            />
            <Loaded query={tab === 'waiting' ? waiting : all} height={320}>
              {(disputes) => {
                const visible = tab === 'decided' ? disputes.filter((dispute) => !isWaiting(dispute)) : disputes;
                return visible.length === 0 ? (
                  <EmptyState title={tab === 'waiting' ? 'No question waits for you' : 'There is no question here'}>
                    People ask about an amount on their statement. You find the question here, with what the service had
                    calculated.
                  </EmptyState>
                ) : (
                  <div className={styles.table}>
                    <DataTable
                      caption="Questions about statements"
                      columns={columns}
                      rows={visible}
                      rowKey={({ disputeId }) => disputeId}
                      rowHeight={35}
                    />
                  </div>
                );
              }}
            </Loaded>
          </div>
        )}
      </Loaded>
    </Page>
  );
}

const columns: readonly Column<Dispute>[] = [
  {
    key: 'title',
    header: 'Question',
    phone: 'title',
    sortBy: (dispute) => disputeTitle(dispute),
    cell: (dispute) => (
      <Link {...rowAction} to="/questions/$disputeId" params={{ disputeId: dispute.disputeId }} className="strong ink">
        {disputeTitle(dispute)}
      </Link>
    ),
  },
  {
    key: 'person',
    header: 'Person',
    phone: 'detail',
    sortBy: ({ repName }) => repName,
    cell: ({ repName }) => repName,
  },
  {
    key: 'period',
    header: 'Statement',
    phone: 'detail',
    sortBy: ({ period }) => period,
    cell: ({ period }) => formatPeriod(period),
  },
  {
    key: 'expected',
    header: 'Expected',
    align: 'right',
    phone: 'amount',
    sortBy: ({ expectedAmount }) => expectedAmount ?? null,
    cell: ({ expectedAmount, currency }) => <Money amount={expectedAmount} currency={currency} />,
  },
  {
    key: 'opened',
    header: 'Asked',
    sortBy: ({ openedAt }) => openedAt,
    cell: ({ openedAt }) => <span className="dim">{formatInstant(openedAt)}</span>,
  },
  { key: 'status', header: 'Status', phone: 'note', cell: ({ status }) => <DisputeBadge status={status} /> },
];
