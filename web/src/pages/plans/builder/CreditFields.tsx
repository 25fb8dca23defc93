import { InlineLines } from '../../../components/Inline.js';
import { type Rule } from '../../../features/plans/draft.js';
import { creditKindsOf, creditKindWords } from '../../../features/plans/words.js';
import styles from './Builder.module.css';
import { FormField, SelectField } from './FormField.js';

interface CreditFieldsProps {
  readonly rule: Rule;
  readonly onChange: (change: Partial<Rule>) => void;
}

const kinds = ['split', 'overlay', 'split,overlay'] as const;
const choices = kinds.map((kind) => [kind, creditKindWords[kind]] as const);

/** Whose part of a deal the rule pays. Rules of managers follow what is earned below. */
export function CreditFields({ rule, onChange }: CreditFieldsProps) {
  const { creditRoles = [] } = rule;
  return (
    <div className={styles.row}>
      <SelectField
        label="Pays the credit of"
        name="Which credit lines of a deal the rule pays"
        value={creditKindsOf(rule)}
        choices={choices}
        onValue={(chosen) =>
          onChange({ creditKinds: chosen === 'split' ? undefined : (chosen.split(',') as ('split' | 'overlay')[]) })
        }
      />
      <FormField label="Only these roles">
        <InlineLines
          label="Roles whose credit the rule pays"
          placeholder="any, or one on each line"
          values={creditRoles}
          onValues={(roles) => onChange({ creditRoles: roles.length === 0 ? undefined : [...new Set(roles)] })}
        />
      </FormField>
    </div>
  );
}
