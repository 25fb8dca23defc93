import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type Dispute, disputesQuery } from '../../api/queries.js';
import { useSession } from '../../app/session.js';
import { type Column, DataTable } from '../../components/DataTable.js';
import { Loaded } from '../../components/Loaded.js';
import { Card, Page } from '../../components/Page.js';
import { rowAction } from '../../components/row-keys.js';
import { EmptyState } from '../../components/States.js';
import { Badge } from '../../components/StatusBadge.js';
import { DisputeBadge } from '../../features/disputes/DisputeBadge.js';
import { useUnread } from '../../features/disputes/read-answers.js';
import { disputeTitle } from '../../features/disputes/words.js';
import { formatInstant } from '../../shared/format/dates.js';
import { formatCount } from '../../shared/format/numbers.js';
import { formatPeriod } from '../../shared/format/periods.js';

/** The person's own questions about statements. */
export function QuestionsPage() {
  const { repId } = useSession();
  const disputes = useQuery(disputesQuery({ repId }));
  return (
    <Page
      title="Questions"
      crumbs={[{ label: 'Questions' }]}
      facts={[disputes.data === undefined ? null : formatCount(disputes.data.count, 'question')]}
    >
      <Loaded query={disputes} height={240}>
        {({ disputes: rows }) =>
          rows.length === 0 ? (
            <EmptyState title="No questions yet" actions={<Link to="/statements">See your statements</Link>}>
              Open an amount and choose “Ask about this line”. The way it was computed is attached.
            </EmptyState>
          ) : (
            <QuestionTable questions={rows} />
          )
        }
      </Loaded>
    </Page>
  );
}

function QuestionTable({ questions }: { readonly questions: readonly Dispute[] }) {
  const unread = new Set(useUnread(questions));
  return (
    <Card isFlush>
      <DataTable
        caption="Your questions"
        columns={[titleColumn(unread), ...columns]}
        rows={questions}
        rowKey={({ disputeId }) => disputeId}
        rowHeight={35}
        isInset
      />
    </Card>
  );
}

function titleColumn(unread: ReadonlySet<Dispute>): Column<Dispute> {
  return {
    key: 'title',
    header: 'Question',
    phone: 'title',
    cell: (dispute) => (
      <>
        <Link {...rowAction} to="/questions/$disputeId" params={{ disputeId: dispute.disputeId }} className="strong">
          {disputeTitle(dispute)}
        </Link>{' '}
        {unread.has(dispute) ? <Badge tone="info">New answer</Badge> : null}
      </>
    ),
  };
}

const columns: readonly Column<Dispute>[] = [
  { key: 'period', header: 'Statement', phone: 'detail', cell: ({ period }) => formatPeriod(period) },
  { key: 'at', header: 'Changed', cell: ({ updatedAt }) => <span className="dim">{formatInstant(updatedAt)}</span> },
  { key: 'status', header: 'Status', phone: 'note', cell: ({ status }) => <DisputeBadge status={status} /> },
];
