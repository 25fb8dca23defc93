import { IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type RateTableSummary, rateTablesQuery } from '../../api/rate-table-queries.js';
import { ButtonContent, buttonClass } from '../../components/Button.js';
import { type Column, DataTable } from '../../components/DataTable.js';
import { Loaded } from '../../components/Loaded.js';
import { Page } from '../../components/Page.js';
import { rowAction } from '../../components/row-keys.js';
import { EmptyState } from '../../components/States.js';
import { fieldWords } from '../../features/plans/words.js';

const columns: readonly Column<RateTableSummary>[] = [
  {
    key: 'name',
    header: 'Table',
    phone: 'title',
    sortBy: ({ name }) => name,
    cell: ({ name }) => (
      <Link to="/rate-tables/$name" params={{ name }} className="ink strong" {...rowAction}>
        {name}
      </Link>
    ),
  },
  {
    key: 'keys',
    header: 'Rates by',
    phone: 'detail',
    cell: ({ keys }) => keys.map(({ field }) => fieldWords(field)).join(' × ') || 'the same for all',
  },
  { key: 'columns', header: 'Columns', cell: (table) => table.columns.map(({ name }) => name).join(', ') },
  {
    key: 'rows',
    header: 'Rows',
    align: 'right',
    phone: 'amount',
    sortBy: ({ rows }) => rows,
    cell: ({ rows }) => <span className="num">{rows}</span>,
  },
  {
    key: 'plans',
    header: 'Used by',
    phone: 'note',
    cell: ({ plans }) => <span className="dim">{plans.map(({ name }) => name).join(', ') || 'no plan'}</span>,
  },
];

/** The tables from which rules of plans take rates, with the plans that use them. */
export function RateTablesPage() {
  const tables = useQuery(rateTablesQuery);
  return (
    <Page
      title="Rate tables"
      crumbs={[{ label: 'Rate tables' }]}
      facts={['Rates by product, region or tenure. The tiers of a rule choose a table in place of a rate.']}
      actions={
        <Link to="/new-rate-table" className={buttonClass({ kind: 'primary' })}>
          <ButtonContent icon={IconPlus}>New rate table</ButtonContent>
        </Link>
      }
    >
      <Loaded query={tables} height={320}>
        {(all) =>
          all.length === 0 ? (
            <EmptyState title="No rate table yet">
              If software pays 10 % and services pay 4 %, a table has one row for each, which can be pasted from a
              spreadsheet.
            </EmptyState>
          ) : (
            <DataTable caption="Rate tables" columns={columns} rows={all} rowKey={({ name }) => name} />
          )
        }
      </Loaded>
    </Page>
  );
}
