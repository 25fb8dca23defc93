import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { type ImportRecord, importsPage, importsQuery } from '../../api/import-queries.js';
import { RowButton } from '../../components/Button.js';
import { type Column, DataTable } from '../../components/DataTable.js';
import { DealAmount } from '../../components/DealAmount.js';
import { Loaded } from '../../components/Loaded.js';
import { Money } from '../../components/Money.js';
import { Pager } from '../../components/Pager.js';
import { rowAction } from '../../components/row-keys.js';
import { EmptyState } from '../../components/States.js';
import { Badge } from '../../components/StatusBadge.js';
import { importTitle } from '../../features/imports/history.js';
import { formatTimestamp } from '../../shared/format/dates.js';
import { formatNumber } from '../../shared/format/numbers.js';
import styles from './Import.module.css';
import { ImportDialog } from './ImportDialog.js';

const route = getRouteApi('/_shell/imports');

/** What was imported, by whom, and the way to take it back. */
export function ImportHistory() {
  const { import: opened, page = 0 } = route.useSearch();
  const navigate = useNavigate({ from: '/imports' });
  const imports = useQuery(importsQuery(page));
  const open = (importId: string | undefined) =>
    void navigate({ search: (search) => ({ ...search, import: importId }), resetScroll: false });
  return (
    <section className={styles.history}>
      <h2>History</h2>
      <Loaded query={imports} height={320}>
        {({ imports: rows, count }) =>
          count === 0 ? (
            <EmptyState title="Nothing was imported yet">
              Imports appear here with their file and their counts.
            </EmptyState>
          ) : (
            <>
              <DataTable
                caption="Imports"
                columns={buildColumns(open)}
                rows={rows}
                rowKey={({ importId }) => importId}
                rowHeight={50}
              />
              {count <= importsPage ? null : (
                <Pager
                  page={page}
                  pageSize={importsPage}
                  count={count}
                  onChange={(next) => void navigate({ search: { page: next === 0 ? undefined : next } })}
                />
              )}
            </>
          )
        }
      </Loaded>
      {opened === undefined ? null : <ImportDialog importId={opened} onClose={() => open(undefined)} />}
    </section>
  );
}

function buildColumns(onOpen: (importId: string) => void): readonly Column<ImportRecord>[] {
  return [
    {
      key: 'what',
      header: 'File',
      phone: 'title',
      cell: (record) => (
        <>
          <RowButton onClick={() => onOpen(record.importId)} {...rowAction}>
            {importTitle(record)}
          </RowButton>
          <span className="second">{kindNames[record.kind]}</span>
        </>
      ),
    },
    { key: 'who', header: 'Who', phone: 'detail', cell: ({ actorName, actor }) => actorName ?? actor },
    {
      key: 'at',
      header: 'When',
      phone: 'detail',
      cell: ({ at }) => <span className="dim">{formatTimestamp(at)}</span>,
    },
    {
      key: 'rows',
      header: 'New and changed',
      align: 'right',
      cell: ({ rows }) => <span className="num">{formatNumber(rows)}</span>,
    },
    {
      key: 'total',
      header: 'Sum of the file',
      align: 'right',
      phone: 'amount',
      cell: ({ totals }) =>
        totals?.map(({ currency, amount }) => (
          <div key={currency}>
            {currency === null ? (
              <DealAmount amount={amount} currency={null} />
            ) : (
              <Money amount={amount} currency={currency} unit="code" />
            )}
          </div>
        )),
    },
    {
      key: 'state',
      header: <span className="unseen">State</span>,
      phone: 'note',
      cell: ({ takenBackAt }) => (takenBackAt === null ? null : <Badge tone="neutral">Taken back</Badge>),
    },
  ];
}

const kindNames: Readonly<Record<ImportRecord['kind'], string>> = {
  deals: 'Deals',
  people: 'People',
  quotas: 'Quotas',
  assignments: 'Assignments',
  absences: 'Absences',
  credits: 'Credit lines',
  contracts: 'Contracts',
  opening_lots: 'Capitalised cost of another system',
  rep_entities: 'Companies of people',
  write_offs: 'Debts written off',
  estimates: 'Estimates of the books',
  lines: 'Products of deals',
  draws: 'Draws',
  fx_rates: 'Exchange rates',
  holidays: 'Holidays',
  rate_table_rows: 'Rows of a rate table',
  invoices: 'Invoices',
  refunds: 'Refunds',
};
