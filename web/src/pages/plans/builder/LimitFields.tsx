import { DecimalInput } from '../../../components/DecimalInput.js';
import { type Rule } from '../../../plans/draft.js';
import styles from './Builder.module.css';
import { FormField } from './FormField.js';

interface LimitFieldsProps {
  readonly rule: Rule;
  readonly currency: string;
  readonly onChange: (change: Partial<Rule>) => void;
}

/** Caps and floors. An empty input is no limit. */
export function LimitFields({ rule, currency, onChange }: LimitFieldsProps) {
  return (
    <div className={styles.row}>
      <FormField label={`Cap of a period, ${currency}`}>
        <DecimalInput
          label="Cap of a period"
          placeholder="none"
          value={rule.cap}
          onValue={(cap) => onChange({ cap })}
        />
      </FormField>
      <FormField label="Cap of a deal, variable targets">
        <DecimalInput
          label="Cap of a deal as a multiple of the variable target"
          placeholder="none"
          value={rule.capMultiplier}
          onValue={(capMultiplier) => onChange({ capMultiplier })}
        />
      </FormField>
      <FormField label={`Least for a deal, ${currency}`}>
        <DecimalInput
          label="Least for a deal"
          placeholder="none"
          value={rule.floor}
          onValue={(floor) => onChange({ floor })}
        />
      </FormField>
      <FormField label="Pays nothing below">
        <DecimalInput
          label="Attainment below which the rule pays nothing"
          placeholder="none"
          unit="%"
          places={2}
          value={rule.floorAttainment}
          onValue={(floorAttainment) => onChange({ floorAttainment })}
        />
      </FormField>
    </div>
  );
}
