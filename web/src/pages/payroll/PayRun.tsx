import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import {
  countOf,
  type PeopleQuery,
  type StatementFilter,
  type TeamStatements,
  teamOnPage,
  teamStatementsQuery,
} from '../../api/team-queries.js';
import { useSession } from '../../app/session.js';
import blocks from '../../components/Blocks.module.css';
import { type Column, DataTable } from '../../components/DataTable.js';
import { personColumn } from '../../components/links.js';
import { useListPage } from '../../components/list-page.js';
import { Money } from '../../components/Money.js';
import { Card } from '../../components/Page.js';
import { ListPager } from '../../components/Pager.js';
import { Segments } from '../../components/Segments.js';
import { PaidBadge } from '../../features/payslip/PaidBadge.js';
import { sumByCurrency } from '../../features/statements/pay-sums.js';
import { SumLines } from '../../features/statements/SumLines.js';
import { formatNumber } from '../../shared/format/numbers.js';
import { ShowAll, useFirstRows } from './FirstRows.js';
import { type Held, listRunRows, type Run, type RunRow } from './pay-run.js';

/** A page of the people of a run, of everyone or of those with something new, and which one it is. */
export function useRunPage(period: string, people: PeopleQuery, isSent: boolean) {
  const [onlyNew, setOnlyNew] = useState(false);
  const listed: StatementFilter = onlyNew ? { ...people, unpaid: 'true' } : people;
  const [page, onPage] = useListPage({ period, listed });
  const query = useQuery({ ...teamStatementsQuery(period, listed, page), enabled: isSent });
  return { query, onlyNew, setOnlyNew, page, onPage };
}

interface PayRunProps {
  readonly period: string;
  /** The currency of the workspace. */
  readonly currency: string;
  /** The number of people of the run. */
  readonly people: number;
  readonly run: Run;
  readonly team: TeamStatements;
  readonly listed: Pick<ReturnType<typeof useRunPage>, 'onlyNew' | 'setOnlyNew' | 'page' | 'onPage'>;
}

/** A run of payroll by person and currency: what is released, deducted, in batches and new. */
export function PayRun({ period, currency, people, run, team, listed }: PayRunProps) {
  const { onlyNew, setOnlyNew, page, onPage } = listed;
  const first = useFirstRows(listRunRows(team.statements));
  const columns = amountColumns(run.earned.some(({ drawn }) => drawn > 0));
  if (run.earned.length === 0) return null;
  return (
    <Card
      title="This run, by person"
      note={`amounts in ${currency}, unless they name another currency`}
      isFlush
      action={
        run.unpaidPeople === 0 || run.unpaidPeople === people ? undefined : (
          <Segments
            label="People of the run"
            choices={[
              ['all', `All ${formatNumber(people)}`],
              ['new', `Only what is new ${formatNumber(run.unpaidPeople)}`],
            ]}
            current={onlyNew ? 'new' : 'all'}
            onChange={(part) => setOnlyNew(part === 'new')}
          />
        )
      }
    >
      <DataTable
        caption="This run by person"
        columns={buildColumns(period, currency, columns)}
        rows={first.visible}
        rowKey={({ key }) => key}
        rowHeight={37}
        isInset
        total={{
          person: 'Total',
          ...Object.fromEntries(
            columns.map(({ key }) => [
              key,
              <SumLines
                key={key}
                isTotal={key === 'payable' || key === 'fresh'}
                main={currency}
                sums={sumByCurrency(runAmounts(run, key, onlyNew), currency)}
              />,
            ]),
          ),
        }}
      />
      <ShowAll rows={first} one="line" />
      <ListPager page={page} pageSize={teamOnPage} count={countOf(team, team.statements)} onChange={onPage} />
    </Card>
  );
}

/** What is held now, with its reasons. */
export function HeldCard({ held }: { readonly held: readonly Held[] }) {
  const { role } = useSession();
  if (held.length === 0) return null;
  return (
    <Card title="Held now" action={role === 'manager' ? undefined : <Link to="/holds">Holds</Link>}>
      <ul className={blocks.rows} aria-label="Held now">
        {held.map(({ key, repName, reasons, amount, currency: of }) => (
          <li key={key}>
            <span>
              <b className="strong">{repName}</b> <span className="dim">{reasons.join('; ')}</span>
            </span>
            <Money amount={amount} currency={of} />
          </li>
        ))}
      </ul>
    </Card>
  );
}

type AmountKey = 'released' | 'drawn' | 'deducted' | 'payable' | 'batched' | 'fresh' | 'owed';

interface AmountColumn {
  readonly key: AmountKey;
  readonly header: string;
}

function amountColumns(hasDraws: boolean): readonly AmountColumn[] {
  return [
    { key: 'released', header: 'Released' },
    ...(hasDraws ? [{ key: 'drawn', header: 'Draws' } as const] : []),
    { key: 'deducted', header: 'Deducted' },
    { key: 'payable', header: 'Payable' },
    { key: 'batched', header: 'In batches' },
    { key: 'fresh', header: 'New' },
    { key: 'owed', header: 'Still owed' },
  ];
}

/** The amounts of everyone, or of the people with something new, by currency. */
function runAmounts({ earned, paid }: Run, key: AmountKey, onlyNew: boolean) {
  const meant = <Row extends { readonly isUnpaid: boolean }>(rows: readonly Row[]) =>
    rows.filter(({ isUnpaid }) => isUnpaid || !onlyNew);
  if (key === 'fresh') return meant(paid).map(({ currency, unpaid }) => ({ currency, amount: unpaid }));
  if (key === 'batched')
    return meant(paid).flatMap(({ currency, inOpenBatches, inPaidBatches }) =>
      [inOpenBatches, inPaidBatches].map((amount) => ({ currency, amount })),
    );
  return meant(earned).map((sum) => ({ currency: sum.currency, amount: sum[key] }));
}

/** Batches have the currency of the person, other amounts that in which they are earned. */
function currencyOf(row: RunRow, key: AmountKey): string {
  return key === 'batched' || key === 'fresh' ? row.paidIn : row.currency;
}

function buildColumns(period: string, main: string, columns: readonly AmountColumn[]): readonly Column<RunRow>[] {
  const phone = { payable: 'amount', fresh: 'note' } as const;
  return [
    personColumn(period),
    {
      key: 'status',
      header: 'Statement',
      phone: 'detail',
      sortBy: ({ status }) => status,
      cell: ({ status, version, payslip }) => <PaidBadge status={status} version={version} payslip={payslip} />,
    },
    ...columns.map(
      ({ key, header }): Column<RunRow> => ({
        key,
        header,
        align: 'right',
        ...(key === 'payable' || key === 'fresh' ? { phone: phone[key] } : {}),
        sortBy: (row) => Number(row[key]),
        cell: (row) => (
          <Money
            amount={row[key]}
            currency={currencyOf(row, key)}
            unit={currencyOf(row, key) === main ? 'none' : 'code'}
            dimsZero
          />
        ),
      }),
    ),
  ];
}
