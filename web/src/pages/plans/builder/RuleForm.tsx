import { IconTrash } from '@tabler/icons-react';
import { lazy, Suspense, useState } from 'react';
import { useKeptState } from '../../../app/kept-state.js';
import { Button } from '../../../components/Button.js';
import { InlineInput } from '../../../components/Inline.js';
import { Segments } from '../../../components/Segments.js';
import { type Condition, type Rule } from '../../../features/plans/draft.js';
import {
  type Field,
  fieldChoices,
  isNumeric,
  measureChoices,
  withCurrent,
  withFormula,
} from '../../../features/plans/fields.js';
import {
  baseChange,
  furtherTerms,
  modeChange,
  paysAmounts,
  phaseChange,
  tierByChange,
  withPay,
} from '../../../features/plans/rule-changes.js';
import { needsQuota } from '../../../features/plans/rules.js';
import { fieldWords, prorationBasis, ruleSentences, teamEarnings } from '../../../features/plans/words.js';
import { listFiscalYears } from '../../../shared/format/periods.js';
import styles from './Builder.module.css';
import { ConditionList } from './ConditionList.js';
import { CreditFields } from './CreditFields.js';
import { FormField, FormulaField, NumberFieldSelect, SelectField } from './FormField.js';
import { LimitFields } from './LimitFields.js';
import { MeasureField } from './MeasureField.js';
import { TierTable } from './TierTable.js';

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
  /** Conditions that hold for every rule of the plan. */
  readonly planConditions: readonly Condition[];
  readonly onChange: (change: Partial<Rule>) => void;
  readonly onMoveConditions: () => void;
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

/** A rule from top to bottom: whom it pays for what, on which deals, at which tiers. What few rules need is below. */
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
      <p className="second">{ruleSentences(rule, currency).join(' ')}</p>
      <PayFields {...props} />
      <h3>Conditions</h3>
      <ConditionList
        label={`Conditions of ${rule.name}`}
        conditions={rule.conditions}
        fields={fields}
        onChange={(conditions) => onChange({ conditions })}
      />
      <h3>Tiers</h3>
      <TierTable
        rule={rule}
        before={before}
        currency={currency}
        quota={quota}
        onChange={(tiers) => onChange({ tiers })}
      />
      <TierSegments rule={rule} onChange={onChange} />
      <More {...props} />
    </>
  );
}

/** What a first rule does not need. Until it is pressed, it is open for a rule that has some of it. */
function More({ rule, fields, currency, onChange }: RuleFormProps) {
  const set = furtherTerms(rule);
  const [hadSome] = useState(set.length > 0);
  const [choice, setChoice] = useKeptState<boolean | null>('plan-rule-more', null);
  const isShown = choice ?? hadSome;
  // The browser reports an element that is open from the start as toggled too.
  const toggle = (isOpen: boolean) => {
    if (isOpen !== isShown) setChoice(isOpen);
  };
  return (
    <details className={styles.more} open={isShown} onToggle={({ currentTarget }) => toggle(currentTarget.open)}>
      <summary>
        More{' '}
        <span className="dim">
          {set.length === 0 ? 'tiers, limits, quota, days, payment, refunds' : set.join(', ')}
        </span>
      </summary>
      {isShown ? (
        <>
          <div className={styles.row}>
            <BaseField rule={rule} fields={fields} onChange={onChange} />
            <TierFields rule={rule} fields={fields} onChange={onChange} />
          </div>
          {rule.executionPhase === 'cascade' ? null : <CreditFields key={rule.name} rule={rule} onChange={onChange} />}
          <h3>Limits</h3>
          <LimitFields rule={rule} currency={currency} onChange={onChange} />
          <h3>Quota</h3>
          <Suspense>
            <QuotaFields rule={rule} fields={fields} onChange={onChange} />
            <div className={styles.row}>
              <ProrationFields rule={rule} onChange={onChange} />
            </div>
            <h3>Days</h3>
            <DayFields rule={rule} onChange={onChange} />
            <h3>Payout</h3>
            <PayoutFields rule={rule} fields={fields} onChange={onChange} />
            <ClawbackFields rule={rule} onChange={onChange} />
          </Suspense>
        </>
      ) : null}
    </details>
  );
}

/** Who is paid, for what, and over how long it is added up. */
function PayFields(props: RuleFormProps) {
  const { rule, fields, ruleNames, onChange } = props;
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
        <MeasureField {...props} />
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
        label="Attainment by"
        value={rule.attainmentPeriod}
        choices={periods}
        onValue={(attainmentPeriod) => onChange({ attainmentPeriod })}
      />
    </div>
  );
}

type PartProps = Pick<RuleFormProps, 'rule' | 'onChange'>;
type FieldsProps = PartProps & Pick<RuleFormProps, 'fields'>;

function BaseField({ rule, fields, onChange }: FieldsProps) {
  const isCascade = rule.executionPhase === 'cascade';
  return (
    <>
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
    </>
  );
}

function fieldBase(base: string | undefined): string | undefined {
  return base === '1' || base === 'variable_target' ? undefined : base;
}

/** What decides the tier, and what a tier pays. */
function TierFields({ rule, fields, onChange }: FieldsProps) {
  return (
    <>
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
      <SelectField
        label="A tier pays"
        value={rule.payoutMode}
        choices={modes}
        onValue={(payoutMode) => onChange(modeChange(rule, payoutMode))}
      />
    </>
  );
}

/** What of a deal a tier applies to, and whether tiers pay rates or amounts. */
function TierSegments({ rule, onChange }: PartProps) {
  const isFlat = paysAmounts(rule);
  // What the tiers paid before the last choice between rates and amounts, for the way back.
  const [before, setBefore] = useState<Rule['tiers']>([]);
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
  );
}

/** By which years the attainment period is counted, and whether working time changes the quota. */
function ProrationFields({ rule, onChange }: PartProps) {
  return (
    <>
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

const days = [
  ['effectiveStart', 'First day', 'First close date for which the rule pays'],
  ['effectiveEnd', 'Last day', 'Last close date for which the rule pays'],
] as const;

/** The close dates for which the rule pays, such as those of a campaign. */
function DayFields({ rule, onChange }: PartProps) {
  return (
    <div className={styles.row}>
      {days.map(([key, label, name]) => (
        <FormField key={key} label={label}>
          <InlineInput
            label={name}
            type="date"
            value={rule[key] ?? ''}
            onChange={({ currentTarget: { value } }) => onChange({ [key]: value === '' ? undefined : value })}
          />
        </FormField>
      ))}
    </div>
  );
}
