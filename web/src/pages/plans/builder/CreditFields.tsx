import { useState } from 'react';
import { InlineInput } from '../../../components/Inline.js';
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

/**
 * Whose part of a deal the rule pays. Rules of managers follow what is earned below. The text stays as it is typed while
 * the field has the focus: a comma at the end begins another role.
 */
export function CreditFields({ rule, onChange }: CreditFieldsProps) {
  const { creditRoles = [] } = rule;
  const [typed, setTyped] = useState<string | null>(null);
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
        <InlineInput
          label="Roles whose credit the rule pays"
          placeholder="any, such as SE, CSM"
          value={typed ?? creditRoles.join(', ')}
          onChange={({ currentTarget: { value } }) => {
            setTyped(value);
            onChange({ creditRoles: toRoles(value) });
          }}
          onBlur={() => setTyped(null)}
        />
      </FormField>
    </div>
  );
}

function toRoles(text: string): string[] | undefined {
  const roles = text
    .split(',')
    .map((role) => role.trim())
    .filter((role) => role !== '');
  return roles.length === 0 ? undefined : [...new Set(roles)];
}
