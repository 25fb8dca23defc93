import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../../api/client.js';
import { type PlanPreview } from '../../../api/plan-queries.js';
import { Button } from '../../../components/Button.js';
import { type Column, DataTable } from '../../../components/DataTable.js';
import { InfoDialog } from '../../../components/InfoDialog.js';
import { DealLink } from '../../../components/links.js';
import { Tabs } from '../../../components/Tabs.js';
import { formatNumber } from '../../../format/numbers.js';
import { formatPeriod } from '../../../format/periods.js';
import { lockedColumns, moneyColumns, repColumns } from '../movement-columns.js';
import styles from './Builder.module.css';
import { type Builder } from './use-builder.js';

interface EveryChangeProps {
  readonly preview: PlanPreview;
  readonly builder: Builder;
  readonly onClose: () => void;
}

type Deal = NonNullable<PlanPreview['byDeal']>[number];
type Part = 'people' | 'deals' | 'approved';

const pageSize = 100;

/** What the change moves by person and by deal, and what approved periods would owe. */
export function EveryChange({ preview, builder, onClose }: EveryChangeProps) {
  const [part, setPart] = useState<Part>('people');
  const moved = (preview.byRep ?? []).filter(({ delta }) => delta !== 0);
  return (
    <InfoDialog title="Every change" size={820} onClose={onClose}>
      <div className={styles.changes}>
        <Tabs<Part>
          label="Changes"
          current={part}
          onChange={setPart}
          tabs={[
            { key: 'people', label: 'People', count: moved.length },
            { key: 'deals', label: 'Deals', count: preview.count ?? 0 },
            { key: 'approved', label: 'Approved periods', count: preview.locked?.length ?? 0 },
          ]}
        />
        {part === 'people' ? (
          <DataTable
            caption="Changes by person"
            columns={repColumns}
            rows={moved}
            rowKey={({ repId, currency }) => repId + currency}
          />
        ) : null}
        {part === 'deals' ? <Deals preview={preview} builder={builder} /> : null}
        {part === 'approved' ? (
          <DataTable
            caption="Approved periods"
            columns={lockedColumns}
            rows={preview.locked ?? []}
            rowKey={({ repId, period, currency }) => `${repId} ${period} ${currency}`}
          />
        ) : null}
      </div>
    </InfoDialog>
  );
}

function Deals({ preview, builder }: { readonly preview: PlanPreview; readonly builder: Builder }) {
  const [page, setPage] = useState(0);
  const names = new Map((preview.byRep ?? []).map(({ repId, name }) => [repId, name]));
  const count = preview.count ?? 0;
  const { data } = useQuery({
    queryKey: ['preview-page', preview.jobId, page],
    queryFn: ({ signal }) =>
      api.getPlanPreview(
        {
          params: { planRef: builder.plan?.planId ?? '', jobId: preview.jobId },
          query: { limit: String(pageSize), offset: String(page * pageSize) },
        },
        { signal },
      ),
    enabled: page > 0,
  });
  const rows = (page === 0 ? preview : data)?.byDeal ?? [];
  return (
    <>
      <DataTable
        caption="Changes by deal"
        columns={dealColumns(names)}
        rows={rows}
        rowKey={({ dealId, period, repId, ruleName }) => `${dealId} ${period} ${repId} ${ruleName}`}
        rowHeight={50}
      />
      {count <= pageSize ? null : (
        <div className={styles.adders}>
          <Button disabled={page === 0} onClick={() => setPage(page - 1)}>
            Larger changes
          </Button>
          <span className="dim">
            {formatNumber(page * pageSize + 1)} to {formatNumber(Math.min(count, (page + 1) * pageSize))} of{' '}
            {formatNumber(count)}
          </span>
          <Button disabled={(page + 1) * pageSize >= count} onClick={() => setPage(page + 1)}>
            Smaller changes
          </Button>
        </div>
      )}
    </>
  );
}

function dealColumns(names: ReadonlyMap<string, string>): readonly Column<Deal>[] {
  return [
    {
      key: 'deal',
      header: 'Deal',
      phone: 'title',
      cell: ({ dealId, name, period, ruleName }) => (
        <>
          {dealId === null ? formatPeriod(period ?? '') : <DealLink dealId={dealId} name={name} />}
          <span className="second">{ruleName}</span>
        </>
      ),
    },
    { key: 'rep', header: 'Person', phone: 'detail', cell: ({ repId }) => names.get(repId) ?? '' },
    ...moneyColumns<Deal>(),
  ];
}
