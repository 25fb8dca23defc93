import { IconX } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useRef } from 'react';
import { rateTablesQuery } from '../../../api/rate-table-queries.js';
import { IconButton, LinkButton } from '../../../components/Button.js';
import { DecimalInput } from '../../../components/DecimalInput.js';
import { InlineInput, InlineSelect } from '../../../components/Inline.js';
import { tierInFull } from '../../../features/plans/curve.js';
import { type Rule, type Tier, withChange } from '../../../features/plans/draft.js';
import { withCurrent } from '../../../features/plans/fields.js';
import { paysAmounts, tableOf } from '../../../features/plans/rule-changes.js';
import { formatMoney, formatRate } from '../../../shared/format/numbers.js';
import styles from './Builder.module.css';

interface TierTableProps {
  readonly rule: Rule;
  /** The rule in the version before, for the column of what a tier pays. */
  readonly before: Rule | undefined;
  readonly currency: string;
  /** The quota for which the last column is computed. */
  readonly quota: number | null;
  readonly onChange: (tiers: readonly Tier[]) => void;
}

/** The thresholds with what they pay. "To" of a tier follows "From" of the next one. `Enter` in the last row adds a tier. */
export function TierTable({ rule, before, currency, quota, onChange }: TierTableProps) {
  const body = useRef<HTMLTableSectionElement>(null);
  const shared = rule.tiers.filter(({ repId }) => repId === undefined);
  const own = rule.tiers.filter(({ repId }) => repId !== undefined);
  const set = (tiers: readonly Tier[]) => onChange([...tiers, ...own]);
  const edit = (index: number, change: Partial<Tier>) =>
    set(shared.map((tier, position) => (position === index ? withChange(tier, change) : tier)));
  const isFlat = paysAmounts(rule);
  const add = () => {
    set([...shared, nextTier(rule, shared, isFlat)]);
    requestAnimationFrame(() => {
      body.current?.querySelector<HTMLInputElement>('tr:last-child input')?.focus();
    });
  };
  return (
    <>
      <table className={styles.tiers}>
        <caption className="unseen">Tiers of {rule.name}</caption>
        <thead>
          <tr>
            <th scope="col">{rule.tierBy === 'rank' ? 'From place' : 'From'}</th>
            <th scope="col">{rule.tierBy === 'rank' ? 'To place' : 'To'}</th>
            <th scope="col">{isFlat ? 'Amount' : 'Rate'}</th>
            <th scope="col">Name</th>
            <th scope="col" className={styles.right}>
              {`Pays in full, ${currency}`}
            </th>
            <th scope="col">
              <span className="unseen">Remove</span>
            </th>
          </tr>
        </thead>
        <tbody
          ref={body}
          onKeyDown={(event) => {
            const row = (event.target as HTMLElement).closest('tr');
            if (event.key !== 'Enter' || row === null || row.nextElementSibling !== null) return;
            if (event.target instanceof HTMLInputElement) {
              event.preventDefault();
              add();
            }
          }}
        >
          {shared.map((tier, index) => (
            <TierRow
              // biome-ignore lint/suspicious/noArrayIndexKey: a tier has no identity but its position
              key={index}
              position={{ rule, tier, next: shared[index + 1], index, isFlat }}
              paid={quota === null ? null : paidWords(rule, before, shared, index, { quota, currency })}
              onChange={(change) => edit(index, change)}
              onTo={(to) => edit(index + 1, { minThreshold: to })}
              onRemove={shared.length === 1 ? null : () => set(shared.filter((_, position) => position !== index))}
            />
          ))}
        </tbody>
      </table>
      <div className={styles.adders}>
        <LinkButton className="strong" onClick={add}>
          Add tier
        </LinkButton>
        <span className="dim">
          {quota === null ? '' : `at a quota of ${formatMoney(quota, currency)}`}
          {own.length === 0
            ? ''
            : `${quota === null ? '' : '; '}${own.length} more for individual people, see the JSON`}
        </span>
      </div>
    </>
  );
}

function nextTier(rule: Rule, shared: readonly Tier[], isFlat: boolean): Tier {
  const last = shared.at(-1);
  const step = rule.tierBy === 'attainment' ? 0.25 : 1;
  const first = rule.tierBy === 'rank' ? 1 : 0;
  const minThreshold = last === undefined ? first : Math.round((last.minThreshold + step) * 1e6) / 1e6;
  return {
    tierIndex: shared.length,
    minThreshold,
    ...payOf(last, isFlat),
  };
}

/** A further tier pays what the last one does. */
function payOf(last: Tier | undefined, isFlat: boolean): Partial<Tier> {
  if (last?.table !== undefined) return tableOf(last.table, last.column);
  return isFlat ? { flatAmount: last?.flatAmount ?? 0 } : { rate: last?.rate ?? 0 };
}

interface TierRowProps {
  readonly position: {
    readonly rule: Rule;
    readonly tier: Tier;
    readonly next: Tier | undefined;
    readonly index: number;
    readonly isFlat: boolean;
  };
  readonly paid: { readonly now: string; readonly was: string | null } | null;
  readonly onChange: (change: Partial<Tier>) => void;
  readonly onTo: (to: number) => void;
  readonly onRemove: (() => void) | null;
}

function TierRow({ position: { rule, tier, next, index, isFlat }, paid, onChange, onTo, onRemove }: TierRowProps) {
  const name = `tier ${index + 1}`;
  const threshold = rule.tierBy === 'attainment' ? ({ places: 2, unit: '%' } as const) : {};
  // The last place of a tier is shown, and the first value of the next one.
  const gap = rule.tierBy === 'rank' ? 1 : 0;
  return (
    <tr>
      <td>
        <DecimalInput
          {...threshold}
          label={`From of ${name}`}
          value={tier.minThreshold}
          onValue={(value) => onChange({ minThreshold: value ?? 0 })}
        />
      </td>
      <td>
        {next === undefined ? (
          <InlineInput
            label={`To of ${name}`}
            value={gap === 1 ? 'all others' : 'no limit'}
            readOnly
            tabIndex={-1}
            className={styles.noLimit}
          />
        ) : (
          <DecimalInput
            {...threshold}
            label={`To of ${name}`}
            value={next.minThreshold - gap}
            onValue={(value) => onTo((value ?? 0) + gap)}
          />
        )}
      </td>
      <td>
        {tier.table !== undefined ? (
          <TableSelect name={name} tier={tier} onChange={onChange} />
        ) : isFlat ? (
          <DecimalInput
            label={`Amount of ${name}`}
            value={tier.flatAmount}
            onValue={(value) => onChange({ flatAmount: value ?? 0, rate: undefined })}
          />
        ) : (
          <DecimalInput
            label={`Rate of ${name}`}
            unit="%"
            places={2}
            value={tier.rate}
            onValue={(value) => onChange({ rate: value ?? 0, flatAmount: undefined })}
          />
        )}
      </td>
      <td>
        <InlineInput
          label={`Name of ${name}`}
          value={tier.name ?? ''}
          onChange={({ currentTarget }) => onChange({ name: currentTarget.value || undefined })}
        />
      </td>
      <td className={styles.right}>
        {paid === null ? null : (
          <>
            <span className="num">{paid.now}</span>
            {paid.was === null ? null : <span className="second">was {paid.was}</span>}
          </>
        )}
      </td>
      <td>{onRemove === null ? null : <IconButton icon={IconX} label={`Remove ${name}`} onClick={onRemove} />}</td>
    </tr>
  );
}

interface TableSelectProps extends Pick<TierRowProps, 'onChange'> {
  readonly name: string;
  readonly tier: Tier;
}

/** The table, or the column of a table with several, that has the rates of a tier. */
function TableSelect({ name, tier, onChange }: TableSelectProps) {
  const tables = useQuery(rateTablesQuery).data ?? [];
  const choices = tables.flatMap(({ name: table, columns }) =>
    columns.map((column) => tableOf(table, columns.length === 1 ? undefined : column.name)),
  );
  const wordsOf = ({ table = '', column }: Pick<Tier, 'table' | 'column'>) =>
    column === undefined ? table : `${column} (${table})`;
  const current = wordsOf(tier);
  return (
    <InlineSelect
      label={`Rate table of ${name}`}
      value={current}
      choices={withCurrent(
        choices.map((choice) => [wordsOf(choice), wordsOf(choice)] as const),
        current,
      )}
      onChange={({ currentTarget: { value } }) => {
        const chosen = choices.find((choice) => wordsOf(choice) === value);
        if (chosen !== undefined) onChange({ table: chosen.table, column: chosen.column });
      }}
    />
  );
}

/** What the tier pays if all of it is reached, and what it paid at the old rate. */
function paidWords(
  rule: Rule,
  before: Rule | undefined,
  shared: readonly Tier[],
  index: number,
  { quota, currency }: { readonly quota: number; readonly currency: string },
): { readonly now: string; readonly was: string | null } | null {
  const tier = shared[index];
  const full = tierInFull(rule, index, quota);
  if (tier === undefined || full === null) return null;
  if (full === 'no limit') return { now: full, was: null };
  const money = (amount: string) => formatMoney(amount, currency, { unit: 'none' });
  const old = before?.tiers.find(
    ({ repId, minThreshold }) => repId === undefined && minThreshold === tier.minThreshold,
  )?.rate;
  if (old === undefined || old === tier.rate) return { now: money(full), was: null };
  const tiers = shared.map((candidate) => (candidate === tier ? { ...candidate, rate: old } : candidate));
  const was = tierInFull({ ...rule, tiers }, index, quota);
  return { now: money(full), was: was === null ? null : `${money(was)} at ${formatRate(old)}` };
}
