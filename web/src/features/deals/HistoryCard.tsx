import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { changesOnPage, type DealChange, dealHistoryQuery } from '../../api/deal-history-query.js';
import blocks from '../../components/Blocks.module.css';
import { Card } from '../../components/Page.js';
import { Pager } from '../../components/Pager.js';
import { formatTimestamp } from '../../shared/format/dates.js';
import { ChangedValues } from './ChangedValues.js';
import { providerName } from './deal-values.js';

/** What happened to the deal: who changed which values, when, from what to what. */
export function HistoryCard({ dealId }: { readonly dealId: string }) {
  const [page, setPage] = useState(0);
  const { data } = useQuery(dealHistoryQuery(dealId, page));
  if (data === undefined || data.count === 0) return null;
  return (
    <Card title="History">
      <ul className={blocks.rows}>
        {data.history.map((change) => (
          <li key={`${change.at} ${change.kind}`}>
            <ChangedValues change={change} />
            <span className="dim">
              {authorWords(change)}, {formatTimestamp(change.at)}
            </span>
          </li>
        ))}
      </ul>
      {data.count > changesOnPage ? (
        <Pager page={page} pageSize={changesOnPage} count={data.count} onChange={setPage} />
      ) : null}
    </Card>
  );
}

/** Actors without a name are sources and the service itself; people who were erased have an empty one. */
export function authorWords({ byName, provider }: Pick<DealChange, 'byName' | 'provider'>): string {
  if (byName !== null) return byName === '' ? 'Someone who left' : byName;
  return provider === null ? 'The service' : providerName(provider);
}
