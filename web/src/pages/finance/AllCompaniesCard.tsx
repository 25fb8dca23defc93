import { useQueries, useQuery } from '@tanstack/react-query';
import {
  type Company,
  type ContractCosts,
  contractCostsQuery,
  type LiabilityRow,
  liabilityOfAllQuery,
} from '../../api/finance-queries.js';
import { type Column, DataTable } from '../../components/DataTable.js';
import { combineQueries, Loaded } from '../../components/Loaded.js';
import { Money } from '../../components/Money.js';
import { Card } from '../../components/Page.js';
import { difference, sumAmounts } from '../../shared/format/exact.js';
import { type Amount } from '../../shared/format/numbers.js';

/** What one company has of something in one currency, or all companies. */
interface Row {
  readonly group: string;
  readonly currency: string;
  /** Null for all. */
  readonly company: string | null;
  readonly opening: Amount;
  readonly closing: Amount;
}

interface AllCompaniesProps {
  readonly month: string;
  readonly companies: readonly Company[];
}

/** The companies one below the other, with a sum for each currency: amounts of several currencies are never added. */
export function AllCompaniesCard({ month, companies }: AllCompaniesProps) {
  const liability = useQuery(liabilityOfAllQuery(month));
  const costs = useQueries({ queries: companies.map(({ code }) => contractCostsQuery(month, code, 'total')) });
  const ofCompanies = combineQueries(Object.fromEntries(costs.map((query, index) => [index, query])));
  return (
    <Loaded query={combineQueries({ liability, costs: ofCompanies })} height={240}>
      {(loaded) => {
        const rows = listRows(loaded.liability, Object.values(loaded.costs));
        return rows.length === 0 ? null : (
          <Card title="All companies" note="summed where the currency is the same" isFlush>
            <DataTable
              caption="What all companies owe and have capitalised"
              columns={columns(new Map(companies.map(({ code, name }) => [code, name])))}
              rows={rows}
              rowKey={({ group, company }) => `${group} ${company}`}
              groups={{ keyOf: ({ group }) => group, head: ({ group }) => group }}
              isInset
            />
          </Card>
        );
      }}
    </Loaded>
  );
}

function listRows(liability: readonly LiabilityRow[], costs: readonly ContractCosts[]): readonly Row[] {
  const owed = liability.map(
    ({ entity, currency, opening, closing }): Row => ({
      group: `Liability in ${currency}`,
      currency,
      company: entity,
      opening,
      closing,
    }),
  );
  const capitalised = costs.flatMap(({ entity, currency, contractCosts }) =>
    contractCosts.map(
      ({ opening, closing }): Row => ({
        group: `Capitalised cost in ${currency}`,
        currency,
        company: entity,
        opening,
        closing,
      }),
    ),
  );
  const rows = [...owed, ...capitalised];
  return [...new Set(rows.map(({ group }) => group))].flatMap((group) => {
    const own = rows.filter((row) => row.group === group);
    return own.length === 1 ? own : [...own, sumOf(own)];
  });
}

function sumOf(rows: readonly Row[]): Row {
  const sum = (key: 'opening' | 'closing') => sumAmounts(rows.map((row) => row[key]));
  return { ...(rows[0] as Row), company: null, opening: sum('opening'), closing: sum('closing') };
}

function columns(names: ReadonlyMap<string, string>): readonly Column<Row>[] {
  const amount = (key: string, header: string, of: (row: Row) => Amount, phone?: 'amount'): Column<Row> => ({
    key,
    header,
    align: 'right',
    ...(phone === undefined ? {} : { phone }),
    cell: (row) => (
      <span className={row.company === null ? 'strong' : undefined}>
        <Money amount={of(row)} currency={row.currency} unit="none" dimsZero />
      </span>
    ),
  });
  return [
    {
      key: 'company',
      header: 'Company',
      phone: 'title',
      cell: ({ company }) =>
        company === null ? <b className="strong">All companies</b> : (names.get(company) ?? company),
    },
    amount('opening', 'Opening', ({ opening }) => opening),
    amount('change', 'Change', ({ opening, closing }) => difference(closing, opening)),
    amount('closing', 'Closing', ({ closing }) => closing, 'amount'),
  ];
}
