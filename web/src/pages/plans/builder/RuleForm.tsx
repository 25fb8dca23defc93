import { IconTrash } from '@tabler/icons-react';
import { lazy, Suspense, useState } from 'react';
import { usePersistedState } from '../../../app/persisted-state.js';
import { Button } from '../../../components/Button.js';
import { InlineInput } from '../../../components/Inline.js';
import { type Condition, type Rule } from '../../../features/plans/draft.js';
import { type Field, measureChoices, withCurrent } from '../../../features/plans/fields.js';
import { furtherTerms, linesChange, phaseChange } from '../../../features/plans/rule-changes.js';
import { needsQuota } from '../../../features/plans/rules.js';
import { fieldWords, ruleSentences, teamEarnings } from '../../../features/plans/words.js';
import styles from './Builder.module.css';
import { ConditionList } from './ConditionList.js';
import { SelectField } from './FormField.js';
import { MeasureField } from './MeasureField.js';
import { ProductFields } from './ProductFields.js';
import { TierSegments } from './TierSegments.js';
import { TierTable } from './TierTable.js';

const FurtherFields = lazy(() => import('./FurtherFields.js').then((module) => ({ default: module.FurtherFields })));

export interface RuleFormProps {
  readonly rule: Rule;
  readonly before: Rule | undefined;
  readonly fields: readonly Field[];
  /** What a rule that counts products may read of them. */
  readonly productFields: readonly Field[];
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
const periods = [
  ['monthly', 'Month'],
  ['quarterly', 'Quarter'],
  ['semi_annual', 'Half-year'],
  ['annual', 'Year'],
] as const;

/** A rule from top to bottom: whom it pays for what, on which deals, at which tiers. What few rules need is below. */
export function RuleForm(props: RuleFormProps) {
  const { rule, before, fields, productFields, currency, quota, onChange, onRemove } = props;
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
      <h3>{rule.lines === undefined ? 'Conditions' : 'Only deals where'}</h3>
      <ConditionList
        label={`Conditions of ${rule.name}`}
        conditions={rule.conditions}
        fields={fields}
        onChange={(conditions) => onChange({ conditions })}
      />
      <ProductFields rule={rule} fields={fields} productFields={productFields} onChange={onChange} />
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
function More({ rule, fields, productFields, currency, onChange }: RuleFormProps) {
  const set = furtherTerms(rule);
  const [hadSome] = useState(set.length > 0);
  const [choice, setChoice] = usePersistedState<boolean | null>('plan-rule-more', null);
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
        <Suspense>
          <FurtherFields
            rule={rule}
            fields={fields}
            productFields={productFields}
            currency={currency}
            onChange={onChange}
          />
        </Suspense>
      ) : null}
    </details>
  );
}

/** Who is paid, for what, and over how long it is added up. */
function PayFields(props: RuleFormProps) {
  const { rule, fields, productFields, ruleNames, onChange } = props;
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
      <SelectField
        label={isCascade ? 'Multiplies' : 'Counts'}
        name={
          isCascade ? 'What the rate of managers multiplies' : 'Whether the rule counts whole deals or their products'
        }
        value={rule.lines === undefined ? 'deals' : 'products'}
        choices={[
          ['deals', isCascade ? 'what they earn' : 'whole deals'],
          ['products', 'products of deals'],
        ]}
        onValue={(counted) => onChange(linesChange(rule, counted === 'products'))}
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
            ...measureChoices(
              rule.lines === undefined ? fields : productFields,
              rule.measure === teamEarnings ? undefined : rule.measure,
            ),
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
