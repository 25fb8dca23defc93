import { useQuery } from '@tanstack/react-query';
import { type Answer } from '../../api/client.js';
import { dealLinesQuery } from '../../api/credit-queries.js';
import { usePersistedDialog } from '../../app/persisted-state.js';
import { Button } from '../../components/Button.js';
import { type Column, DataTable } from '../../components/DataTable.js';
import { DealAmount } from '../../components/DealAmount.js';
import { Card } from '../../components/Page.js';
import { Skeleton } from '../../components/States.js';
import { Warnings } from '../../components/Warnings.js';
import { formatNumber } from '../../shared/format/numbers.js';
import { LinesDialog } from './LinesDialog.js';

/** That of the card without products. */
const emptyHeight = 118;

type Line = Answer<'getDealLines'>['lines'][number];

interface LinesCardProps {
  readonly dealId: string;
  readonly currency: string | null;
  readonly canEdit: boolean;
}

/** The products of a deal with their net amounts; for a deal without lines only what adds some. */
export function LinesCard({ dealId, currency, canEdit }: LinesCardProps) {
  const { data } = useQuery(dealLinesQuery(dealId));
  const [isEdited, setEdited] = usePersistedDialog(`lines ${dealId}`);
  if (data === undefined) return canEdit ? <Skeleton height={emptyHeight} /> : null;
  const action = canEdit ? <Button onClick={() => setEdited(true)}>Edit products</Button> : undefined;
  const dialog = isEdited && canEdit ? <LinesDialog deal={data} onClose={() => setEdited(false)} /> : null;
  if (data.lines.length === 0)
    return canEdit ? (
      <Card title="Products" action={action}>
        <p className="dim">The deal has no products. Rules that pay products pay nothing for it.</p>
        {dialog}
      </Card>
    ) : null;
  const money = (amount: number | null | undefined, code: string | null | undefined) => (
    <DealAmount amount={amount ?? null} currency={code ?? currency} />
  );
  const columns: readonly Column<Line>[] = [
    {
      key: 'product',
      header: 'Product',
      phone: 'title',
      cell: ({ name, productCode, lineId }) => name ?? productCode ?? lineId,
    },
    { key: 'family', header: 'Family', phone: 'detail', cell: ({ family }) => family ?? '' },
    {
      key: 'quantity',
      header: 'Quantity',
      align: 'right',
      cell: ({ quantity }) => (quantity == null ? '' : formatNumber(quantity)),
    },
    {
      key: 'amount',
      header: 'Net amount',
      align: 'right',
      phone: 'amount',
      cell: ({ amount, currency: code }) => money(amount, code),
    },
  ];
  return (
    <Card title={data.source === 'crm' ? 'Products, from the CRM' : 'Products'} action={action} isFlush>
      <DataTable
        caption="Products of the deal"
        columns={columns}
        rows={data.lines}
        rowKey={({ lineId }) => lineId}
        total={{
          product: 'Sum',
          amount: data.total.map(({ currency: code, amount }) => <div key={code}>{money(amount, code)}</div>),
        }}
      />
      {dialog}
      <Warnings warnings={data.warnings} />
    </Card>
  );
}
