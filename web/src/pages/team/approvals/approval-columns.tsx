import {
  IconAdjustments,
  IconAlertCircle,
  IconClock,
  IconHistory,
  IconLock,
  IconMessageQuestion,
} from '@tabler/icons-react';
import { useToday } from '../../../app/today.js';
import { type Column } from '../../../components/DataTable.js';
import { Delta } from '../../../components/Delta.js';
import { Check } from '../../../components/Field.js';
import { StatementLink } from '../../../components/links.js';
import { Money } from '../../../components/Money.js';
import { Badge } from '../../../components/StatusBadge.js';
import { earnedSums, netSums, paidAmount } from '../../../features/statements/pay-sums.js';
import { SumLines } from '../../../features/statements/SumLines.js';
import { formatAttainment, formatMoney } from '../../../shared/format/numbers.js';
import { countedPeriod, shiftPeriod, shortPeriod } from '../../../shared/format/periods.js';
import styles from './Approvals.module.css';
import { type ApprovalRow, isSelectable } from './approval-rows.js';

interface Selection {
  readonly period: string;
  /** The currency of the workspace, which the headers name. */
  readonly currency: string;
  readonly selectedKeys: ReadonlySet<string>;
  readonly isReady: boolean;
  /** The rows that "select all" includes. */
  readonly clear: readonly ApprovalRow[];
  /** Whether statements of the period pay what is payable, and not what is earned. */
  readonly hasPayouts: boolean;
  readonly onToggle: (row: ApprovalRow) => void;
  readonly onToggleAll: (all: boolean) => void;
}

export function approvalColumns(selection: Selection): readonly Column<ApprovalRow>[] {
  const { period, currency, hasPayouts: pays } = selection;
  return [
    selectColumn(selection),
    {
      key: 'person',
      header: 'Person',
      width: '160px',
      phone: 'title',
      sortBy: ({ statement }) => statement.name,
      cell: (row) => <Person row={row} period={period} />,
    },
    {
      key: 'attainment',
      header: 'Attainment',
      align: 'right',
      phone: 'detail',
      sortBy: ({ attainment }) => attainment?.attainment ?? null,
      cell: (row) => <Attained row={row} />,
    },
    {
      key: 'commission',
      header: 'Commission',
      align: 'right',
      sortBy: ({ statement }) => statement.summary.totalCommission,
      cell: (row) => money(currency, row, row.statement.summary.totalCommission),
    },
    {
      key: 'bonus',
      header: 'Bonus',
      align: 'right',
      cell: (row) => money(currency, row, row.statement.summary.totalBonuses),
    },
    {
      key: 'adjusted',
      header: 'Adjusted',
      align: 'right',
      cell: (row) => money(currency, row, row.statement.summary.totalAdjustments),
    },
    // The change is one of what is earned, so it stands beside it.
    ...(pays
      ? [earnedColumn(currency), changeColumn(period, currency), payableColumn(currency)]
      : [netColumn(currency), { ...changeColumn(period, currency), phone: 'note' as const }]),
    { key: 'flags', header: 'Flags', width: '140px', phone: 'detail', cell: (row) => <Flags row={row} /> },
  ];
}

function changeColumn(period: string, main: string): Column<ApprovalRow> {
  return {
    key: 'change',
    header: `vs ${shortPeriod(shiftPeriod(period, -1))}`,
    align: 'right',
    sortBy: ({ change }) => (change === null ? null : Number(change)),
    cell: ({ change, statement }) => (
      <Delta amount={change} currency={statement.currency} unit={statement.currency === main ? 'none' : 'code'} />
    ),
  };
}

function netColumn(main: string): Column<ApprovalRow> {
  return {
    key: 'net',
    header: `Net, ${main}`,
    align: 'right',
    phone: 'amount',
    sortBy: ({ statement }) => statement.summary.netPayout,
    cell: (row) => <Net row={row}>{money(main, row, row.statement.summary.netPayout)}</Net>,
  };
}

/** What the statement earns, beside what it pays. */
function earnedColumn(main: string): Column<ApprovalRow> {
  return {
    key: 'net',
    header: `Earned, ${main}`,
    align: 'right',
    sortBy: ({ statement }) => statement.summary.netPayout,
    cell: ({ statement }) => <SumLines sums={earnedSums([statement], main)} main={main} />,
  };
}

/** What the statement pays, in the currency of the bank. */
function payableColumn(main: string): Column<ApprovalRow> {
  return {
    key: 'payable',
    header: `Payable, ${main}`,
    align: 'right',
    phone: 'amount',
    sortBy: ({ statement }) => paidAmount(statement),
    cell: ({ statement }) => (
      <span className="strong brand">
        <SumLines sums={netSums([statement], statement.payslip?.currency ?? main)} main={main} />
      </span>
    ),
  };
}

function money(currency: string, row: ApprovalRow, amount: number) {
  const { status, currency: own } = row.statement;
  if (status === 'none' && amount === 0) return <span className="dim">–</span>;
  return <Money amount={amount} currency={own} unit={own === currency ? 'none' : 'code'} dimsZero />;
}

function selectColumn(selection: Selection): Column<ApprovalRow> {
  const { selectedKeys, isReady, clear, onToggle, onToggleAll } = selection;
  const selectedClear = clear.filter(({ repId }) => selectedKeys.has(repId)).length;
  return {
    key: 'select',
    header: (
      <Check
        label="Select all without flags"
        checked={clear.length > 0 && selectedClear === clear.length}
        isPartial={selectedKeys.size > 0 && selectedClear < clear.length}
        disabled={!isReady || clear.length === 0}
        onChange={({ currentTarget }) => onToggleAll(currentTarget.checked)}
      />
    ),
    width: '40px',
    phone: 'lead',
    cell: (row) => (
      <Check
        label={`Select ${row.statement.name}`}
        checked={selectedKeys.has(row.repId)}
        disabled={!isReady || !isSelectable(row)}
        onChange={() => onToggle(row)}
      />
    ),
  };
}

function Person({ row: { statement }, period }: { readonly row: ApprovalRow; readonly period: string }) {
  const { repId, name, status, version } = statement;
  const state = { none: 'No draft', draft: `Draft v${version}`, approved: `Approved v${version}` }[status];
  return (
    <>
      <StatementLink repId={repId} period={period} isRow className={`${styles.person} strong ink`}>
        {name}
      </StatementLink>
      <span className={`second ${styles.none}`}>{state}</span>
    </>
  );
}

function Attained({ row: { attainment } }: { readonly row: ApprovalRow }) {
  const today = useToday();
  if (attainment === null) return <None />;
  return (
    <span
      className="num"
      title={`${attainment.measure}, ${countedPeriod(attainment.period, attainment.through, today)}`}
    >
      {formatAttainment(attainment.attainment)}
    </span>
  );
}

/** A phone has no columns, so it leaves out what is absent. */
function None() {
  return <span className={`dim ${styles.none}`}>–</span>;
}

function Net({ row, children }: { readonly row: ApprovalRow; readonly children: React.ReactNode }) {
  return (
    <>
      <span className="strong brand">{children}</span>
      {row.statement.otherCurrencies.map(({ currency, summary }) => (
        <span key={currency} className="num second">
          {formatMoney(summary.netPayout, currency, { unit: 'code' })}
        </span>
      ))}
    </>
  );
}

function Flags({ row: { hold, statement, remarks } }: { readonly row: ApprovalRow }) {
  const { totalAdjustments } = statement.summary;
  const badge = hold === null ? null : <HoldBadge hold={hold} />;
  if (badge === null && totalAdjustments === 0 && remarks.length === 0) return <None />;
  return (
    <span className={styles.flags}>
      {badge}
      {remarks.map((remark) => (
        <span key={remark} className={styles.flag}>
          {remark}
        </span>
      ))}
      {totalAdjustments === 0 ? null : (
        <span className={styles.flag}>
          <IconAdjustments size={14} aria-hidden="true" />
          adjusted
        </span>
      )}
    </span>
  );
}

function HoldBadge({ hold }: { readonly hold: NonNullable<ApprovalRow['hold']> }) {
  if (hold.kind === 'question')
    return (
      <Badge tone="info" icon={IconMessageQuestion}>
        Question
      </Badge>
    );
  switch (hold.reason) {
    case 'changed':
    case 'stale':
      return (
        <Badge tone="info" icon={IconHistory}>
          Changed
        </Badge>
      );
    case 'unusual':
      return <Badge tone="warning">Unusually {hold.deviations < 0 ? 'low' : 'high'}</Badge>;
    case 'own_changes':
      return <Badge tone="warning">Own changes</Badge>;
    case 'quota_missing':
      return (
        <Badge tone="negative" icon={IconAlertCircle}>
          Quota missing
        </Badge>
      );
    case 'covered':
      return (
        <Badge tone="neutral" icon={IconLock}>
          Paid with {hold.periods.map(shortPeriod).join(', ')}
        </Badge>
      );
    case 'step':
      return <span className={styles.flag}>Waits for others</span>;
    case 'own':
      return <span className={styles.flag}>Your own</span>;
    default:
      return (
        <Badge tone="neutral" icon={IconClock}>
          {hold.reason === 'calculating' ? 'Calculating' : 'Not generated'}
        </Badge>
      );
  }
}
