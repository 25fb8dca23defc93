import { DecimalInput } from '../../../components/DecimalInput.js';
import { type Rule } from '../../../features/plans/draft.js';
import styles from './Builder.module.css';
import { FormField } from './FormField.js';

interface LimitFieldsProps {
  readonly rule: Rule;
  readonly currency: string;
  readonly onChange: (change: Partial<Rule>) => void;
}

/** Caps and floors. An empty input is no limit. */
export function LimitFields({ rule, currency, onChange }: LimitFieldsProps) {
  const limits = [
    ['cap', `Maximum per period, ${currency}`, 'Maximum per period'],
    [
      'capMultiplier',
      'Maximum per deal, in variable targets',
      'Maximum per deal, as a multiple of the variable target',
    ],
    ['floor', `Minimum per deal, ${currency}`, 'Minimum per deal'],
    ['floorAttainment', 'Pays nothing below', 'Attainment below which the rule pays nothing'],
  ] as const;
  return (
    <>
      <div className={styles.row}>
        {limits.map(([key, label, name]) => (
          <FormField key={key} label={label}>
            <DecimalInput
              label={name}
              placeholder="none"
              {...(key === 'floorAttainment' ? ({ unit: '%', places: 2 } as const) : {})}
              value={rule[key]}
              onValue={(value) => onChange({ [key]: value })}
            />
          </FormField>
        ))}
      </div>
      {rule.floorAttainment === undefined ? null : <p className="second">{floorWords(rule)}</p>}
    </>
  );
}

/** What becomes of the credit below the floor, and how to choose otherwise. */
function floorWords({ executionPhase, tierMode }: Rule): string {
  if (executionPhase === 'periodic' || tierMode === 'retroactive')
    return 'Once the period reaches this attainment, all of it is paid. To pay only the part above, use a first tier with 0 % instead.';
  return 'Deals below this attainment stay unpaid, and the deal that crosses it is paid in full. To pay everything once it is reached, let the rule pay each ended period; to pay only the part above, use a first tier with 0 % instead.';
}
