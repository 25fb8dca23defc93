import { InlineInput } from '../../../components/Inline.js';
import { fieldChoices, isNumeric, withFormula } from '../../../features/plans/fields.js';
import { baseChange, modeChange, tierByChange } from '../../../features/plans/rule-changes.js';
import { prorationBasis } from '../../../features/plans/words.js';
import { listFiscalYears } from '../../../shared/format/periods.js';
import styles from './Builder.module.css';
import { ClawbackFields } from './ClawbackFields.js';
import { CreditFields } from './CreditFields.js';
import { FormField, FormulaField, NumberFieldSelect, SelectField } from './FormField.js';
import { LimitFields } from './LimitFields.js';
import { PayoutFields } from './PayoutFields.js';
import { QuotaFields } from './QuotaFields.js';
import { type RuleFormProps } from './RuleForm.js';

type PartProps = Pick<RuleFormProps, 'rule' | 'onChange'>;
type FieldsProps = PartProps & Pick<RuleFormProps, 'fields' | 'productFields'>;

const modes = [
  ['rate', 'rate or amount'],
  ['rate_times_attainment', 'rate × attainment'],
  ['flat_per_event', 'amount a deal'],
  ['flat_per_tier', 'amount once'],
  ['stepped_bonus', 'period bonus'],
] as const;
const calendars = [
  ['calendar', 'the calendar year'],
  ['fiscal', 'the fiscal year'],
] as const;

const prorations = (['none', 'calendar_days', 'whole_months'] as const).map(
  (quotaProration) => [quotaProration, prorationBasis({ quotaProration })] as const,
);

/** What few rules need: bases, other tiers, whose credit, limits, the quota, days, payment and refunds. */
export function FurtherFields({
  rule,
  fields: ofDeals,
  productFields,
  currency,
  onChange,
}: FieldsProps & Pick<RuleFormProps, 'currency'>) {
  const fields = rule.lines === undefined ? ofDeals : [...productFields, ...ofDeals];
  return (
    <>
      <div className={styles.row}>
        <BaseField rule={rule} fields={fields} productFields={productFields} onChange={onChange} />
        <TierFields rule={rule} fields={fields} onChange={onChange} />
      </div>
      {rule.executionPhase === 'cascade' ? null : <CreditFields rule={rule} onChange={onChange} />}
      <h3>Limits</h3>
      <LimitFields rule={rule} currency={currency} onChange={onChange} />
      <h3>Quota</h3>
      <QuotaFields rule={rule} fields={fields} onChange={onChange} />
      <div className={styles.row}>
        <ProrationFields rule={rule} onChange={onChange} />
      </div>
      <h3>Days</h3>
      <DayFields rule={rule} onChange={onChange} />
      <h3>Payout</h3>
      <PayoutFields rule={rule} fields={fields} onChange={onChange} />
      <ClawbackFields rule={rule} onChange={onChange} />
    </>
  );
}

function BaseField({ rule, fields, productFields, onChange }: FieldsProps) {
  const isCascade = rule.executionPhase === 'cascade';
  // A manager's rule with products multiplies one of their values.
  const isOfProducts = isCascade && rule.lines !== undefined;
  return (
    <>
      <SelectField
        label={isCascade ? 'Base' : 'The rate multiplies'}
        name="What the rate multiplies"
        value={rule.payoutBase ?? ''}
        choices={[
          ...(isOfProducts
            ? []
            : ([
                ['', isCascade ? 'what they earn' : 'the measure'],
                ['1', 'nothing: a fixed amount'],
                ['variable_target', 'the variable target'],
              ] as const)),
          ...withFormula(
            fieldChoices(rule.lines === undefined ? fields : productFields, fieldBase(rule.payoutBase), isNumeric),
            rule.payoutBase,
            rule.lines === undefined ? undefined : '= line.amount',
          ),
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
function TierFields({ rule, fields, onChange }: Omit<FieldsProps, 'productFields'>) {
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
