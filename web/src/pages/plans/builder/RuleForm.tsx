import { IconTrash } from '@tabler/icons-react';
import { lazy, Suspense, useState } from 'react';
import { Button } from '../../../components/Button.js';
import { InlineInput } from '../../../components/Inline.js';
import { Segments } from '../../../components/Segments.js';
import { type Rule } from '../../../features/plans/draft.js';
import {
  type Field,
  fieldChoices,
  isNumeric,
  measureChoices,
  withCurrent,
  withFormula,
} from '../../../features/plans/fields.js';
import { needsQuota } from '../../../features/plans/rules.js';
import { fieldWords, prorationBasis, teamEarnings } from '../../../features/plans/words.js';
import { listFiscalYears } from '../../../shared/format/periods.js';
import styles from './Builder.module.css';
import { ConditionList } from './ConditionList.js';
import { CreditFields } from './CreditFields.js';
import { FormulaField, NumberFieldSelect, SelectField } from './FormField.js';
import { LimitFields } from './LimitFields.js';
import { paysAmounts, TierTable } from './TierTable.js';

const QuotaFields = lazy(() => import('./QuotaFields.js').then((module) => ({ default: module.QuotaFields })));
const PayoutFields = lazy(() => import('./PayoutFields.js').then((module) => ({ default: module.PayoutFields })));
const ClawbackFields = lazy(() => import('./ClawbackFields.js').then((module) => ({ default: module.ClawbackFields })));

export interface RuleFormProps {
  readonly rule: Rule;
  readonly before: Rule | undefined;
  readonly fields: readonly Field[];
  readonly currency: string;
  readonly quota: number | null;
  /** Rules on which a rule of managers may depend. */
  readonly ruleNames: readonly string[];
  readonly onChange: (change: Partial<Rule>) => void;
  readonly onRemove: () => void;
}

const phases = [
  ['per_deal', 'deal owners'],
  ['cascade', 'managers'],
  ['periodic', 'each ended period'],
] as const;
const modes = [
  ['rate', 'rate or amount'],
  ['rate_times_attainment', 'rate × attainment'],
  ['flat_per_event', 'amount a deal'],
  ['flat_per_tier', 'amount once'],
  ['stepped_bonus', 'period bonus'],
] as const;
const periods = [
  ['monthly', 'Month'],
  ['quarterly', 'Quarter'],
  ['semi_annual', 'Half-year'],
  ['annual', 'Year'],
] as const;

const calendars = [
  ['calendar', 'the calendar year'],
  ['fiscal', 'the fiscal year'],
] as const;

const prorations = (['none', 'calendar_days', 'whole_months'] as const).map(
  (quotaProration) => [quotaProration, prorationBasis({ quotaProration })] as const,
);

/** Everything about one rule: what it pays, on which deals, at which tiers, and its limits. */
export function RuleForm(props: RuleFormProps) {
  const { rule, before, fields, currency, quota, onChange, onRemove } = props;
  return (
    <>
      <h2 className="unseen">{rule.name}</h2>
      <div className={styles.formHead}>
        <InlineInput
          label="Name of the rule"
          className={styles.ruleName}
          value={rule.name}
          isWrong={rule.name.trim() === ''}
          onChange={({ currentTarget }) => onChange({ name: currentTarget.value })}
        />
        <Button icon={IconTrash} kind="quiet" onClick={onRemove}>
          Remove rule
        </Button>
      </div>
      <PayFields {...props} />
      {rule.executionPhase === 'cascade' ? null : <CreditFields key={rule.name} rule={rule} onChange={onChange} />}
      <h3>Conditions</h3>
      <ConditionList
        label={`Conditions of ${rule.name}`}
        conditions={rule.conditions}
        fields={fields}
        onChange={(conditions) => onChange({ conditions })}
      />
      <h3>Tiers</h3>
      <TierFields {...props} />
      <TierTable
        rule={rule}
        before={before}
        currency={currency}
        quota={quota}
        onChange={(tiers) => onChange({ tiers })}
      />
      <h3>Limits</h3>
      <LimitFields rule={rule} currency={currency} onChange={onChange} />
      <h3>Quota</h3>
      <Suspense>
        <QuotaFields rule={rule} fields={fields} onChange={onChange} />
        <h3>Payout</h3>
        <PayoutFields rule={rule} fields={fields} onChange={onChange} />
        <ClawbackFields rule={rule} onChange={onChange} />
      </Suspense>
    </>
  );
}

/** Who is paid, for what, and by which base. */
function PayFields({ rule, fields, ruleNames, onChange }: RuleFormProps) {
  const isCascade = rule.executionPhase === 'cascade';
  return (
    <div className={styles.row}>
      <SelectField
        label="Pays"
        name="Whom the rule pays"
        value={rule.executionPhase}
        choices={phases}
        onValue={(executionPhase) => onChange(phaseChange(rule, executionPhase))}
      />
      {isCascade ? (
        <SelectField
          label="On"
          name="What managers are paid on"
          value={rule.dependsOn ?? '_total'}
          choices={withCurrent(
            [['_total', 'everything they earn'], ...ruleNames.map((name) => [name, name] as const)],
            rule.dependsOn,
          )}
          onValue={(dependsOn) => onChange({ dependsOn })}
        />
      ) : (
        <NumberFieldSelect
          label="Measure"
          value={rule.measure}
          fields={fields}
          onValue={(measure) => onChange({ measure })}
        />
      )}
      {isCascade && (rule.measure !== teamEarnings || needsQuota(rule)) ? (
        <SelectField
          label="Counts"
          name="What counts for the tiers of managers"
          value={rule.measure}
          choices={[
            [teamEarnings, fieldWords(teamEarnings).toLowerCase()],
            ...measureChoices(fields, rule.measure === teamEarnings ? undefined : rule.measure),
          ]}
          onValue={(measure) => onChange({ measure })}
        />
      ) : null}
      <SelectField
        label={isCascade ? 'Base' : 'The rate multiplies'}
        name="What the rate multiplies"
        value={rule.payoutBase ?? ''}
        choices={[
          ['', isCascade ? 'what they earn' : 'the measure'],
          ['1', 'nothing: a fixed amount'],
          ['variable_target', 'the variable target'],
          ...withFormula(fieldChoices(fields, fieldBase(rule.payoutBase), isNumeric), rule.payoutBase),
        ]}
        onValue={(value) => onChange(baseChange(rule, value))}
      />
      <FormulaField
        name="what the rate multiplies"
        value={rule.payoutBase}
        onValue={(payoutBase) => onChange({ payoutBase })}
      />
    </div>
  );
}

/** Managers are paid on what the people below earn, which no field of a deal decides. A period has no customer who pays. */
function phaseChange(rule: Rule, executionPhase: Rule['executionPhase']): Partial<Rule> {
  if (executionPhase === 'cascade')
    return {
      executionPhase,
      dependsOn: rule.dependsOn ?? '_total',
      measure: teamEarnings,
      creditKinds: undefined,
      creditRoles: undefined,
    };
  return {
    executionPhase,
    dependsOn: undefined,
    measure: rule.measure === teamEarnings ? 'amount' : rule.measure,
    ...(executionPhase === 'periodic' ? { payout: undefined } : {}),
  };
}

function fieldBase(base: string | undefined): string | undefined {
  return base === '1' || base === 'variable_target' ? undefined : base;
}

/** A rule without a base pays fixed amounts. */
function baseChange(rule: Rule, value: string): Partial<Rule> {
  const payoutBase = value === '' ? undefined : value;
  if (value !== '1' || paysAmounts(rule)) return { payoutBase };
  return { payoutBase, tiers: rule.tiers.map(({ rate: _, ...tier }) => ({ ...tier, flatAmount: 0 })) };
}

/** What decides the tier, over how long, and what of the deal it applies to. */
function TierFields({ rule, fields, onChange }: RuleFormProps) {
  const isFlat = paysAmounts(rule);
  // What the tiers paid before the last choice between rates and amounts, for the way back.
  const [before, setBefore] = useState<Rule['tiers']>([]);
  return (
    <>
      <div className={styles.row}>
        <SelectField
          label="Tiers go by"
          value={rule.tierBy}
          choices={[
            ['attainment', 'attainment'],
            ['value', 'a deal value'],
            ['rank', 'rank'],
          ]}
          onValue={(tierBy) => onChange(tierByChange(rule, tierBy))}
        />
        {rule.tierBy === 'value' ? (
          <NumberFieldSelect
            label="Field"
            name="Field that decides the tier"
            value={rule.tierValueField ?? 'amount'}
            fields={fields}
            onValue={(tierValueField) => onChange({ tierValueField })}
          />
        ) : null}
        <PeriodFields rule={rule} onChange={onChange} />
        <SelectField
          label="A tier pays"
          value={rule.payoutMode}
          choices={modes}
          onValue={(payoutMode) => onChange(modeChange(rule, payoutMode))}
        />
      </div>
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
            ]}
          />
        ) : null}
        {rule.payoutMode === 'rate' ? (
          <Segments<'rate' | 'amount'>
            label="Rates or amounts"
            current={isFlat ? 'amount' : 'rate'}
            onChange={(kind) => {
              setBefore(rule.tiers);
              onChange({ tiers: withPay(rule, kind === 'amount', before) });
            }}
            choices={[
              ['rate', 'Rates'],
              ['amount', 'Amounts'],
            ]}
          />
        ) : null}
      </div>
    </>
  );
}

/** Over how long attainment is added up, by which years, and whether working time changes the quota. */
function PeriodFields({ rule, onChange }: Pick<RuleFormProps, 'rule' | 'onChange'>) {
  return (
    <>
      <SelectField
        label="Attainment by"
        value={rule.attainmentPeriod}
        choices={periods}
        onValue={(attainmentPeriod) => onChange({ attainmentPeriod })}
      />
      {listFiscalYears().length > 0 || rule.calendar === 'fiscal' ? (
        <SelectField
          label="Of"
          name="Calendar of the attainment period"
          value={rule.calendar ?? 'calendar'}
          choices={calendars}
          onValue={(calendar) => onChange({ calendar: calendar === 'fiscal' ? calendar : undefined })}
        />
      ) : null}
      <SelectField
        label="Prorated by"
        name="Proration of the quota by working time"
        value={rule.quotaProration ?? 'none'}
        choices={prorations}
        onValue={(quotaProration) =>
          onChange({ quotaProration: quotaProration === 'none' ? undefined : quotaProration })
        }
      />
    </>
  );
}

function withPay({ tiers }: Rule, isFlat: boolean, before: Rule['tiers'] = []): Rule['tiers'] {
  return tiers.map(({ rate, flatAmount, ...tier }, position) =>
    isFlat
      ? { ...tier, flatAmount: flatAmount ?? before[position]?.flatAmount ?? 0 }
      : { ...tier, rate: rate ?? before[position]?.rate ?? 0 },
  );
}

function tierByChange(rule: Rule, tierBy: Rule['tierBy']): Partial<Rule> {
  return {
    tierBy,
    tierValueField: tierBy === 'value' ? (rule.tierValueField ?? 'amount') : undefined,
    ...(tierBy === 'attainment' ? {} : { tierMode: 'full_rate' }),
    ...(tierBy !== 'attainment' && rule.payoutMode !== 'flat_per_event' ? { payoutMode: 'rate' } : {}),
  };
}

function modeChange(rule: Rule, payoutMode: Rule['payoutMode']): Partial<Rule> {
  if (payoutMode === 'rate') return { payoutMode };
  if (payoutMode === 'rate_times_attainment')
    return {
      payoutMode,
      tiers: withPay(rule, false),
      tierBy: 'attainment',
      tierMode: rule.tierMode === 'retroactive' ? 'retroactive' : 'full_rate',
      tierValueField: undefined,
    };
  const tiers = withPay(rule, true);
  if (payoutMode === 'flat_per_event') return { payoutMode, tiers };
  return { payoutMode, tiers, tierBy: 'attainment', tierMode: 'full_rate', tierValueField: undefined };
}
