import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../../api/client.js';
import { type PlanPreview } from '../../../api/plan-queries.js';
import { type Column, DataTable } from '../../../components/DataTable.js';
import { InfoDialog } from '../../../components/InfoDialog.js';
import { Loaded } from '../../../components/Loaded.js';
import { DealLink } from '../../../components/links.js';
import { Pager } from '../../../components/Pager.js';
import { Tabs } from '../../../components/Tabs.js';
import { formatPeriod } from '../../../shared/format/periods.js';
import { lockedColumns, moneyColumns, payPeriodColumns, repColumns } from '../movement-columns.js';
import styles from './Builder.module.css';
import { TakenBack } from './TakenBack.js';
import { type Builder } from './use-builder.js';

interface EveryChangeProps {
  readonly preview: PlanPreview;
  readonly builder: Builder;
  readonly onClose: () => void;
}

type Deal = NonNullable<PlanPreview['byDeal']>[number];
type Part = 'people' | 'deals' | 'refunds' | 'payPeriods' | 'approved';

const pageSize = 100;

/** What the change moves by person, deal and pay period, and what approved periods would owe. */
export function EveryChange({ preview, builder, onClose }: EveryChangeProps) {
  const [part, setPart] = useState<Part>('people');
  const { byRep = [], refunds = [], locked = [], byPayPeriod = [], count = 0 } = preview;
  const counts = {
    people: byRep.filter(({ delta }) => delta !== 0).length,
    deals: count,
    refunds: refunds.length,
    payPeriods: byPayPeriod.length,
    approved: locked.length,
  };
  return (
    <InfoDialog title="Every change" size={820} onClose={onClose}>
      <div className={styles.changes}>
        <Tabs<Part>
          label="Changes"
          current={part}
          onChange={setPart}
          tabs={[
            { key: 'people', label: 'People', count: counts.people },
            { key: 'deals', label: 'Deals', count: counts.deals },
            ...(preview.byPayPeriod === undefined
              ? []
              : [{ key: 'payPeriods' as const, label: 'Pay periods', count: counts.payPeriods }]),
            ...(refunds.length === 0 ? [] : [{ key: 'refunds' as const, label: 'Refunds', count: counts.refunds }]),
            { key: 'approved', label: 'Approved periods', count: counts.approved },
          ]}
        />
        {counts[part] === 0 ? (
          <p className="dim">The change moves nothing here.</p>
        ) : (
          <Changes part={part} preview={preview} builder={builder} />
        )}
      </div>
    </InfoDialog>
  );
}

interface ChangesProps {
  readonly part: Part;
  readonly preview: PlanPreview;
  readonly builder: Builder;
}

function Changes({ part, preview, builder }: ChangesProps) {
  const { byRep = [], refunds = [], locked = [], byPayPeriod = [] } = preview;
  switch (part) {
    case 'people':
      return (
        <DataTable
          caption="Changes by person"
          columns={repColumns}
          rows={byRep.filter(({ delta }) => delta !== 0)}
          rowKey={({ repId, currency }) => repId + currency}
        />
      );
    case 'deals':
      return <Deals preview={preview} builder={builder} />;
    case 'refunds':
      return <TakenBack refunds={refunds} />;
    case 'payPeriods':
      return (
        <DataTable
          caption="Changes by pay period"
          columns={payPeriodColumns}
          rows={byPayPeriod}
          rowKey={({ period, currency }) => `${period} ${currency}`}
        />
      );
    case 'approved':
      return (
        <DataTable
          caption="Approved periods"
          columns={lockedColumns}
          rows={locked}
          rowKey={({ repId, period, currency }) => `${repId} ${period} ${currency}`}
        />
      );
  }
}

function Deals({ preview, builder }: { readonly preview: PlanPreview; readonly builder: Builder }) {
  const [page, setPage] = useState(0);
  const { byRep = [], count = 0 } = preview;
  const names = new Map(byRep.map(({ repId, name }) => [repId, name]));
  const deals = useQuery({
    queryKey: ['preview-page', preview.jobId, page],
    queryFn: ({ signal }) =>
      api.getPlanPreview(
        {
          params: { planRef: builder.plan?.planId ?? '', jobId: preview.jobId },
          query: { limit: String(pageSize), offset: String(page * pageSize) },
        },
        { signal },
      ),
    initialData: page === 0 ? preview : undefined,
    placeholderData: keepPreviousData,
  });
  return (
    <Loaded query={deals} height={480}>
      {({ byDeal = [] }) => (
        <>
          <DataTable
            caption="Changes by deal"
            columns={dealColumns(names)}
            rows={byDeal}
            rowKey={({ dealId, refundId, period, repId, ruleName }) =>
              `${dealId} ${refundId} ${period} ${repId} ${ruleName}`
            }
            rowHeight={50}
          />
          {count <= pageSize ? null : (
            <Pager
              page={page}
              pageSize={pageSize}
              count={count}
              labels={['Larger changes', 'Smaller changes']}
              onChange={setPage}
            />
          )}
        </>
      )}
    </Loaded>
  );
}

function dealColumns(names: ReadonlyMap<string, string>): readonly Column<Deal>[] {
  return [
    {
      key: 'deal',
      header: 'Deal',
      phone: 'title',
      cell: ({ dealId, refundId, name, period, ruleName }) => (
        <>
          {dealId === null ? formatPeriod(period ?? '') : <DealLink dealId={dealId} name={name} />}
          <span className="second">{refundId === undefined ? ruleName : `${ruleName}, refund ${refundId}`}</span>
        </>
      ),
    },
    { key: 'rep', header: 'Person', phone: 'detail', cell: ({ repId }) => names.get(repId) ?? '' },
    ...moneyColumns<Deal>(),
  ];
}
