import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useSession } from '../../app/session.js';
import blocks from '../../components/Blocks.module.css';
import { type Column, DataTable } from '../../components/DataTable.js';
import { personColumn } from '../../components/links.js';
import { Money } from '../../components/Money.js';
import { Card } from '../../components/Page.js';
import { Segments } from '../../components/Segments.js';
import { PaidBadge } from '../../features/payslip/PaidBadge.js';
import { sumByCurrency } from '../../features/statements/pay-sums.js';
import { SumLines } from '../../features/statements/SumLines.js';
import { ShowAll, useFirstRows } from './FirstRows.js';
import { type Held, isNew, type RunRow } from './pay-run.js';

interface PayRunProps {
  readonly period: string;
  /** The currency of the workspace. */
  readonly currency: string;
  readonly rows: readonly RunRow[];
}

/** A run of payroll by person and currency: what is released, deducted, in batches and new. */
export function PayRun({ period, currency, rows }: PayRunProps) {
  const fresh = rows.filter(isNew);
  const [onlyNew, setOnlyNew] = useState(false);
  const listed = onlyNew ? fresh : rows;
  const first = useFirstRows(listed);
  const columns = amountColumns(rows.some(({ drawn }) => drawn > 0));
  if (rows.length === 0) return null;
  return (
    <Card
      title="This run, by person"
      note={`amounts in ${currency}, unless they name another currency`}
      isFlush
      action={
        fresh.length === 0 || fresh.length === rows.length ? undefined : (
          <Segments
            label="People of the run"
            choices={[
              ['all', `All ${rows.length}`],
              ['new', `Only what is new ${fresh.length}`],
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
                sums={sumByCurrency(
                  listed.map((row) => ({ currency: currencyOf(row, key), amount: row[key] })),
                  currency,
                )}
              />,
            ]),
          ),
        }}
      />
      <ShowAll rows={first} one="line" />
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
