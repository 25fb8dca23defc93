import { type Rule } from '../../../features/plans/draft.js';
import styles from './Builder.module.css';
import { ConditionList } from './ConditionList.js';
import { SelectField } from './FormField.js';
import { type RuleFormProps } from './RuleForm.js';

/** Which products a rule counts. */
export function ProductFields({
  rule,
  fields,
  productFields,
  onChange,
}: Pick<RuleFormProps, 'rule' | 'fields' | 'productFields' | 'onChange'>) {
  const { lines } = rule;
  if (lines === undefined) return null;
  const { conditions = [], withoutLines = 'none' } = lines;
  return (
    <>
      <h3>Only products where</h3>
      <ConditionList
        label={`Products that ${rule.name} counts`}
        conditions={conditions}
        fields={[...productFields, ...fields]}
        first={{ field: 'line.family', fieldType: 'text', operator: 'equals', value: '' }}
        onChange={(next) =>
          onChange({ lines: { ...without(lines), ...(next.length === 0 ? {} : { conditions: next }) } })
        }
      />
      <div className={styles.row}>
        <SelectField
          label="A deal without products"
          value={withoutLines}
          choices={[
            ['none', 'pays nothing'],
            ['deal', 'is one product with its amount'],
          ]}
          onValue={(next) => onChange({ lines: { ...lines, withoutLines: next } })}
        />
      </div>
    </>
  );
}

function without({ conditions: _, ...lines }: NonNullable<Rule['lines']>): NonNullable<Rule['lines']> {
  return lines;
}
