import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { lotsOnPage, type OpeningLots, openingLotsQuery } from '../../api/finance-queries.js';
import { useSession } from '../../app/session.js';
import { buttonClass } from '../../components/Button.js';
import { type Column, DataTable } from '../../components/DataTable.js';
import { Loaded } from '../../components/Loaded.js';
import { DealLink } from '../../components/links.js';
import { Money } from '../../components/Money.js';
import { Card } from '../../components/Page.js';
import { ListPager } from '../../components/Pager.js';
import { formatDay } from '../../shared/format/dates.js';
import { formatPeriod } from '../../shared/format/periods.js';

interface OpeningLotsProps {
  readonly entity: string;
  readonly currency: string;
  /** Whether the month can still change. */
  readonly isOpen: boolean;
}

/** What other systems have begun to amortise. Without a lot, nothing where none can be imported. */
export function OpeningLotsCard({ entity, currency, isOpen }: OpeningLotsProps) {
  const { role } = useSession();
  const [page, setPage] = useState(0);
  const canImport = isOpen && role === 'admin';
  return (
    <Loaded query={useQuery(openingLotsQuery(entity, page))} height={120}>
      {({ lots, count }) =>
        count === 0 && !canImport ? null : (
          <Card
            title="Opening lots"
            note="cost that another system has capitalised"
            action={
              canImport ? (
                <Link to="/imports/$kind" params={{ kind: 'openingLots' }} className={buttonClass()}>
                  Import opening lots
                </Link>
              ) : undefined
            }
            isFlush={count > 0}
          >
            {count === 0 ? (
              <p className="dim">None. What is left of each cost enters the books in a month that is open.</p>
            ) : (
              <DataTable
                caption="Cost that another system has capitalised"
                columns={columns(currency)}
                rows={lots}
                rowKey={({ dealId, lotId }) => `${dealId} ${lotId}`}
                isInset
              />
            )}
            <ListPager page={page} pageSize={lotsOnPage} count={count} onChange={setPage} />
          </Card>
        )
      }
    </Loaded>
  );
}

type Row = OpeningLots['lots'][number];

function columns(currency: string): readonly Column<Row>[] {
  const amount = (key: 'cost' | 'amortised' | 'left', header: string): Column<Row> => ({
    key,
    header,
    align: 'right',
    ...(key === 'left' ? { phone: 'amount' as const } : {}),
    cell: (row) => <Money amount={row[key]} currency={currency} unit="none" dimsZero />,
  });
  return [
    {
      key: 'deal',
      header: 'Deal',
      phone: 'title',
      cell: ({ dealId, dealName }) => <DealLink dealId={dealId} name={dealName} isRow />,
    },
    { key: 'lot', header: 'Lot', phone: 'detail', cell: ({ lotId }) => lotId },
    { key: 'person', header: 'Person', phone: 'detail', cell: ({ repName }) => repName },
    { key: 'month', header: 'Enters in', phone: 'note', cell: ({ month }) => formatPeriod(month) },
    {
      key: 'terms',
      header: 'Amortised',
      cell: ({ start, length }) =>
        'months' in length
          ? `${length.months} months from ${formatDay(start, 'year')} on`
          : `${formatDay(start, 'year')} to ${formatDay(length.until, 'year')}`,
    },
    amount('cost', 'Cost'),
    amount('amortised', 'Amortised before'),
    amount('left', 'Left'),
  ];
}
