import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type Answer, api } from '../../api/client.js';
import { Button } from '../../components/Button.js';
import { type Column, DataTable } from '../../components/DataTable.js';
import { FailedCalculations } from '../../components/FailedCalculations.js';
import { Filters } from '../../components/Filters.js';
import { InlineInput } from '../../components/Inline.js';
import { Loaded } from '../../components/Loaded.js';
import { Pager } from '../../components/Pager.js';
import { EmptyState } from '../../components/States.js';
import { Badge } from '../../components/StatusBadge.js';
import { formatTimestamp } from '../../shared/format/dates.js';
import { formatNumber } from '../../shared/format/numbers.js';

type Run = Answer<'listAuditLogs'>['runs'][number];

const pageSize = 50;

/** The runs of the engine with what each wrote. */
export function EngineRuns() {
  const [typed, setTyped] = useState('');
  const [dealId, setDealId] = useState('');
  const [page, setPage] = useState(0);
  const runs = useQuery({
    queryKey: ['engine-runs', dealId, page],
    queryFn: ({ signal }) =>
      api.listAuditLogs(
        {
          query: {
            limit: String(pageSize),
            offset: String(page * pageSize),
            ...(dealId === '' ? {} : { dealId }),
          },
        },
        { signal },
      ),
    placeholderData: keepPreviousData,
  });
  return (
    <>
      <FailedCalculations />
      <Filters
        onSubmit={() => {
          setDealId(typed.trim());
          setPage(0);
        }}
      >
        <InlineInput
          label="Deal ID"
          placeholder="Deal ID"
          value={typed}
          onChange={({ currentTarget }) => setTyped(currentTarget.value)}
        />
        <Button type="submit">Filter</Button>
      </Filters>
      <Loaded query={runs} height={480}>
        {({ runs: all, count }) =>
          all.length === 0 ? (
            <EmptyState title="No calculation matches">Change or clear the filter.</EmptyState>
          ) : (
            <>
              <DataTable caption="Calculations" columns={columns} rows={all} rowKey={({ runId }) => runId} />
              <Pager page={page} pageSize={pageSize} count={count} onChange={setPage} />
            </>
          )
        }
      </Loaded>
    </>
  );
}

const outcomes = {
  written: ['good', 'Written'],
  no_change: ['neutral', 'No change'],
  skipped: ['neutral', 'Skipped'],
  statement_locked: ['warning', 'Approved'],
  failed: ['negative', 'Failed'],
} as const;

const columns: readonly Column<Run>[] = [
  {
    key: 'trigger',
    header: 'Because of',
    phone: 'title',
    cell: ({ trigger }) => <span className="strong">{trigger.replaceAll('_', ' ')}</span>,
  },
  { key: 'scope', header: 'Of', phone: 'detail', cell: ({ scope, dealId }) => dealId ?? scope },
  {
    key: 'at',
    header: 'When',
    phone: 'detail',
    cell: ({ startedAt }) => <span className="dim">{formatTimestamp(startedAt)}</span>,
  },
  {
    key: 'written',
    header: 'Written',
    align: 'right',
    cell: ({ counters }) => <span className="num">{formatNumber(counters.eventsWritten)}</span>,
  },
  {
    key: 'reversed',
    header: 'Reversed',
    align: 'right',
    cell: ({ counters }) => <span className="num">{formatNumber(counters.eventsReversed)}</span>,
  },
  {
    key: 'outcome',
    header: 'Result',
    phone: 'note',
    cell: ({ outcome }) => <Badge tone={outcomes[outcome][0]}>{outcomes[outcome][1]}</Badge>,
  },
];
