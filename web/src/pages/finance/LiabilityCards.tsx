import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type LiabilityRow, liabilityQuery, peopleOnPage } from '../../api/finance-queries.js';
import { RowButton } from '../../components/Button.js';
import { type Column, DataTable } from '../../components/DataTable.js';
import { Loaded } from '../../components/Loaded.js';
import { Money } from '../../components/Money.js';
import { Card } from '../../components/Page.js';
import { Pager } from '../../components/Pager.js';
import { rowAction } from '../../components/row-keys.js';
import { EmptyState } from '../../components/States.js';
import styles from './Finance.module.css';
import { LinesDrawer } from './LinesDrawer.js';
import { Waterfall } from './Waterfall.js';
import { movements, states } from './words.js';

/** The books of a company in a month. */
export interface BooksProps {
  readonly month: string;
  readonly entity: string;
}

/** What people are owed: by currency as a waterfall, by person as a table whose rows open their lines. */
export function LiabilityCards({ month, entity }: BooksProps) {
  const sums = useQuery(liabilityQuery(month, entity, 'currency'));
  return (
    <>
      <Loaded query={sums} height={320}>
        {({ liability }) =>
          liability.length === 0 ? (
            <EmptyState title="Nothing is owed">No one is owed commission at the end of the month.</EmptyState>
          ) : (
            liability.map((row) => <CurrencyCard key={row.currency} row={row} />)
          )
        }
      </Loaded>
      <PeopleCard month={month} entity={entity} />
    </>
  );
}

function CurrencyCard({ row }: { readonly row: LiabilityRow }) {
  const { currency, draws, receivable } = row;
  const parts = states.filter(([state]) => row.states[state] !== 0);
  return (
    <Card title={`Liability in ${currency}`} note="from the end of the month before to the end of the month">
      <Waterfall row={row} />
      <dl className={styles.states}>
        {parts.map(([state, label]) => (
          <div key={state}>
            <dt>{label}</dt>
            <dd>
              <Money amount={row.states[state]} currency={currency} unit="none" />
            </dd>
          </div>
        ))}
        {receivable === 0 ? null : (
          <div>
            <dt>Owed by people, not netted</dt>
            <dd>
              <Money amount={receivable} currency={currency} unit="none" />
            </dd>
          </div>
        )}
        {draws === undefined ? null : (
          <div>
            <dt>Draws receivable</dt>
            <dd>
              <Money amount={draws.closing} currency={currency} unit="none" />
            </dd>
          </div>
        )}
      </dl>
    </Card>
  );
}

function PeopleCard({ month, entity }: BooksProps) {
  const [page, setPage] = useState(0);
  const [opened, setOpened] = useState<LiabilityRow | null>(null);
  const people = useQuery(liabilityQuery(month, entity, 'person', page));
  return (
    <Loaded query={people} height={480}>
      {({ liability, count }) =>
        count === 0 ? null : (
          <>
            <Card title="People" isFlush>
              <DataTable
                caption="What each person is owed"
                columns={columns(setOpened)}
                rows={liability}
                rowKey={rowKey}
                markedKey={opened === null ? null : rowKey(opened)}
                isInset
              />
              {count > peopleOnPage ? (
                <Pager
                  page={page}
                  pageSize={peopleOnPage}
                  count={count}
                  labels={['Before', 'After']}
                  onChange={setPage}
                />
              ) : null}
            </Card>
            {opened === null ? null : <LinesDrawer month={month} row={opened} onClose={() => setOpened(null)} />}
          </>
        )
      }
    </Loaded>
  );
}

const rowKey = ({ repId, currency }: LiabilityRow) => `${repId} ${currency}`;

function columns(onOpen: (row: LiabilityRow) => void): readonly Column<LiabilityRow>[] {
  const amount = (
    key: 'opening' | 'closing' | (typeof movements)[number][0],
    header: string,
  ): Column<LiabilityRow> => ({
    key,
    header,
    align: 'right',
    sortBy: (row) => row[key],
    ...(key === 'closing' ? { phone: 'amount' as const } : {}),
    cell: (row) => <Money amount={row[key]} currency={row.currency} unit="none" dimsZero />,
  });
  return [
    {
      key: 'person',
      header: 'Person',
      phone: 'title',
      sortBy: ({ repName }) => repName,
      cell: (row) => (
        <RowButton {...rowAction} onClick={() => onOpen(row)}>
          {row.repName}
        </RowButton>
      ),
    },
    { key: 'currency', header: 'Currency', phone: 'detail', cell: ({ currency }) => currency },
    amount('opening', 'Opening'),
    ...movements.map(([name, label]) => amount(name, label)),
    amount('closing', 'Closing'),
  ];
}
