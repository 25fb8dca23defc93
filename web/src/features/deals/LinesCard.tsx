import { useQuery } from '@tanstack/react-query';
import { type Answer } from '../../api/client.js';
import { dealLinesQuery } from '../../api/credit-queries.js';
import { type Column, DataTable } from '../../components/DataTable.js';
import { DealAmount } from '../../components/DealAmount.js';
import { Card } from '../../components/Page.js';
import { formatNumber } from '../../shared/format/numbers.js';

type Line = Answer<'getDealLines'>['lines'][number];

/** The products of a deal with their net amounts; nothing for a deal without lines. */
export function LinesCard({ dealId, currency }: { readonly dealId: string; readonly currency: string | null }) {
  const { data } = useQuery(dealLinesQuery(dealId));
  if (data === undefined || data.lines.length === 0) return null;
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
    <Card title={data.source === 'crm' ? 'Products, from the CRM' : 'Products'} isFlush>
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
      {data.warnings.map(({ message }) => (
        <p key={message} className="dim">
          {message}
        </p>
      ))}
    </Card>
  );
}
