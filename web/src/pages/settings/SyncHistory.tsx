import { useQuery } from '@tanstack/react-query';
import { productNames } from '#src/client.js';
import { type Answer, api } from '../../api/client.js';
import { type Provider } from '../../api/settings-queries.js';
import blocks from '../../components/Blocks.module.css';
import { type Column, DataTable } from '../../components/DataTable.js';
import { Facing } from '../../components/Facing.js';
import { Loaded } from '../../components/Loaded.js';
import { Card } from '../../components/Page.js';
import { Badge } from '../../components/StatusBadge.js';
import { formatInstant } from '../../shared/format/dates.js';
import { formatCount, formatNumber } from '../../shared/format/numbers.js';

type History = Answer<'listCrmSyncs'>;
type Sync = History['syncs'][number];

/** The syncs of a CRM in the last 90 days, and the health of its webhooks. */
export function SyncHistory({ provider }: { readonly provider: Provider }) {
  const history = useQuery({
    queryKey: ['crm-syncs', provider],
    queryFn: ({ signal }) => api.listCrmSyncs({ params: { provider }, query: { limit: '20' } }, { signal }),
    refetchInterval: 15_000,
  });
  return (
    <Card title={`Syncs of ${productNames[provider]}`} note="of the last 90 days">
      <Loaded query={history} height={200}>
        {({ health, syncs }) => (
          <div className={blocks.stack}>
            <Health health={health} />
            {syncs.length === 0 ? (
              <p className="dim">No syncs yet.</p>
            ) : (
              <DataTable
                caption={`Syncs of ${productNames[provider]}`}
                columns={columns}
                rows={syncs}
                rowKey={({ id }) => id}
                below={(sync) => (sync.skippedDeals.length === 0 ? null : <Skipped sync={sync} />)}
              />
            )}
          </div>
        )}
      </Loaded>
    </Card>
  );
}

function Health({ health }: { readonly health: History['health'] }) {
  const { lastWebhookAt, lastVerifiedAt, rejected, nextPollAt } = health;
  const at = (instant: string | null) => (instant === null ? 'never' : formatInstant(instant));
  return (
    <Facing
      rows={[
        ['Last delivery', at(lastWebhookAt)],
        ['Last with a valid signature', at(lastVerifiedAt)],
        ['Rejected deliveries', formatNumber(rejected)],
        ...(nextPollAt === null ? [] : [['Next poll', formatInstant(nextPollAt)] as const]),
      ]}
    />
  );
}

function Skipped({ sync: { skippedDeals, skipped } }: { readonly sync: Sync }) {
  return (
    <details>
      <summary>{formatCount(skipped, 'deal')} without a payment</summary>
      <ul className={blocks.checks}>
        {skippedDeals.slice(0, 20).map(({ dealId, reason }) => (
          <li key={`${dealId} ${reason}`}>
            {dealId} <span className="dim">{reason}</span>
          </li>
        ))}
      </ul>
    </details>
  );
}

const columns: readonly Column<Sync>[] = [
  {
    key: 'kind',
    header: 'What',
    phone: 'title',
    cell: ({ kind, startedAt }) => (
      <>
        {kind === 'sync' ? 'Sync of everything' : 'Changes'}
        <span className="second">{formatInstant(startedAt)}</span>
      </>
    ),
  },
  {
    key: 'counts',
    header: 'Deals',
    phone: 'detail',
    cell: ({ seen, created, changed, deleted }) =>
      `${formatNumber(seen)} read, ${created} new, ${changed} changed, ${deleted} deleted`,
  },
  {
    key: 'status',
    header: 'State',
    phone: 'note',
    cell: ({ status, error }) => {
      if (status === 'running') return <Badge tone="info">Running</Badge>;
      if (status === 'completed') return <Badge tone="good">Done</Badge>;
      return (
        <>
          <Badge tone="negative">Failed</Badge>
          <span className="second">{error}</span>
        </>
      );
    },
  },
];
