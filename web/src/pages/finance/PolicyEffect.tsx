import { IconAlertTriangle } from '@tabler/icons-react';
import { type UseQueryResult } from '@tanstack/react-query';
import { describeError } from '../../api/describe-error.js';
import { type Company, type PolicyPreview } from '../../api/finance-queries.js';
import { type Column, DataTable } from '../../components/DataTable.js';
import { Money } from '../../components/Money.js';
import { Note } from '../../components/Note.js';
import { describePolicy, exampleOfPolicy } from '../../features/finance/policy-words.js';
import { formatPeriod } from '../../shared/format/periods.js';
import styles from './Finance.module.css';

interface PolicyEffectProps {
  readonly preview: Pick<UseQueryResult<PolicyPreview>, 'data' | 'error' | 'isFetching'>;
  readonly entities: readonly Company[];
}

/** A version of a policy in a sentence, and in money what it does to the months that are open. */
export function PolicyEffect({ preview: { data, error, isFetching }, entities }: PolicyEffectProps) {
  if (error !== null) return <p className="negative">{describeError(error).message}</p>;
  if (data === undefined) return <p className="dim">Calculating the books …</p>;
  const { effect = [], warnings } = data;
  const example = exampleOfPolicy(data, entities);
  return (
    <div className={styles.effect} aria-busy={isFetching}>
      <p>
        {data.name} v{data.version}: {describePolicy(data)}
      </p>
      {example === null ? null : <p className="strong">{example}</p>}
      {warnings.length === 0 ? null : (
        <Note tone="warning" icon={IconAlertTriangle} title="The benefit ends with the contract">
          <p>Renewals do not pay for themselves, so the cost of new business may count beyond its contract.</p>
        </Note>
      )}
      {effect.length === 0 ? (
        <p className="dim">The books of the open months stay as they are.</p>
      ) : (
        <DataTable
          caption="What the version does to open months"
          columns={columns(entities)}
          rows={effect}
          rowKey={({ month, entity }) => `${month} ${entity}`}
        />
      )}
    </div>
  );
}

type Row = NonNullable<PolicyPreview['effect']>[number];

function columns(entities: readonly Company[]): readonly Column<Row>[] {
  const amount = (
    key: 'expenseBefore' | 'expenseAfter' | 'assetBefore' | 'assetAfter',
    header: string,
    label: string,
  ): Column<Row> => ({
    key,
    header,
    align: 'right',
    phone: 'detail',
    cell: (row) => (
      <>
        <span className={styles.phoneLabel}>{label} </span>
        <Money amount={row[key]} currency={row.currency} unit="none" dimsZero />
      </>
    ),
  });
  const company: Column<Row> = {
    key: 'company',
    header: 'Company',
    phone: 'detail',
    cell: ({ entity }) => entities.find(({ code }) => code === entity)?.name ?? entity,
  };
  return [
    { key: 'month', header: 'Month', phone: 'title', cell: ({ month }) => formatPeriod(month) },
    ...(entities.length > 1 ? [company] : []),
    amount('expenseBefore', 'Expense now', 'Expense now'),
    amount('expenseAfter', 'With it', 'Expense with it'),
    amount('assetBefore', 'Asset now', 'Asset now'),
    amount('assetAfter', 'With it', 'Asset with it'),
  ];
}
