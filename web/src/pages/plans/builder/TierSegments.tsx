import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type RateTableSummary, rateTablesQuery } from '../../../api/rate-table-queries.js';
import { Segments } from '../../../components/Segments.js';
import { type Rule } from '../../../features/plans/draft.js';
import {
  amountsChange,
  linesChange,
  paysAmounts,
  paysByTable,
  withPay,
  withTable,
} from '../../../features/plans/rule-changes.js';
import { flatPerWords } from '../../../features/plans/words.js';
import styles from './Builder.module.css';
import { SelectField } from './FormField.js';
import { type RuleFormProps } from './RuleForm.js';

type PartProps = Pick<RuleFormProps, 'rule' | 'onChange'>;

/** What of a deal a tier applies to, and whether tiers pay rates, amounts, or the rates of a table. */
export function TierSegments({ rule, onChange }: PartProps) {
  return (
    <div className={styles.segments}>
      {rule.tierBy === 'attainment' && rule.payoutMode.startsWith('rate') ? (
        <Segments<Rule['tierMode']>
          label="Tiers apply to"
          current={rule.tierMode}
          onChange={(tierMode) => onChange({ tierMode })}
          choices={[
            ...(rule.payoutMode === 'rate' ? ([['marginal', 'Part in tier']] as const) : []),
            ['full_rate', 'Whole deal'],
            ['retroactive', 'Whole period'],
            ...(mayInterpolate(rule) ? ([['interpolated', 'Between tiers']] as const) : []),
          ]}
        />
      ) : null}
      <PaySegments rule={rule} onChange={onChange} />
      {rule.lines !== undefined && paysAmounts(rule) && !paysByTable(rule) ? (
        <SelectField
          label="For each"
          name="How often an amount is paid"
          value={rule.flatPer ?? 'deal'}
          choices={flatPerChoices}
          onValue={(flatPer) => onChange({ flatPer })}
        />
      ) : null}
    </div>
  );
}

/** Between two tiers lies a rate, not an amount. */
function mayInterpolate(rule: Rule): boolean {
  return rule.payoutMode === 'rate' && !paysAmounts(rule);
}

const flatPerChoices = (['deal', 'line', 'unit'] as const).map((per) => [per, flatPerWords[per]] as const);

type PayKind = 'rate' | 'amount' | 'table';

function PaySegments({ rule, onChange }: PartProps) {
  // What the tiers paid before the last choice, for the way back.
  const [before, setBefore] = useState<Rule['tiers']>([]);
  const [first] = useQuery(rateTablesQuery).data ?? [];
  const isByTable = paysByTable(rule);
  const choices: readonly (readonly [PayKind, string])[] = [
    ['rate', 'Rates'],
    ...(rule.payoutMode === 'rate' ? ([['amount', 'Amounts']] as const) : []),
    ...(first !== undefined || isByTable ? ([['table', 'Rates of a table']] as const) : []),
  ];
  if (!rule.payoutMode.startsWith('rate') || choices.length < 2) return null;
  const choose = (kind: PayKind) => {
    setBefore(rule.tiers);
    if (kind === 'amount') onChange(amountsChange(rule, before));
    else if (kind === 'rate') onChange({ tiers: withPay(rule, false, before) });
    else if (first !== undefined) onChange(tableChange(rule, first));
  };
  return (
    <Segments<PayKind>
      label="Rates or amounts"
      current={isByTable ? 'table' : paysAmounts(rule) ? 'amount' : 'rate'}
      onChange={choose}
      choices={choices}
    />
  );
}

/** The rates of a table, which by products needs a rule that counts them. */
function tableChange(rule: Rule, { name, keys, columns }: RateTableSummary): Partial<Rule> {
  const readsLines = keys.some(({ field }) => /\bline\./i.test(field));
  const column = columns.length === 1 ? undefined : columns[0]?.name;
  const isOfLines = readsLines && rule.executionPhase === 'per_deal' && rule.lines === undefined;
  return { tiers: withTable(rule, name, column), ...(isOfLines ? linesChange(rule, true) : {}) };
}
