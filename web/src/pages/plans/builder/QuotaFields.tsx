import { IconX } from '@tabler/icons-react';
import { IconButton, LinkButton } from '../../../components/Button.js';
import { DecimalInput } from '../../../components/DecimalInput.js';
import { InlineInput, InlineSelect } from '../../../components/Inline.js';
import { type Rule } from '../../../features/plans/draft.js';
import { type Field, measureChoices } from '../../../features/plans/fields.js';
import { fieldWords, teamEarnings } from '../../../features/plans/words.js';
import styles from './Builder.module.css';
import { FormField, NumberFieldSelect, SelectField } from './FormField.js';

interface QuotaFieldsProps {
  readonly rule: Rule;
  readonly fields: readonly Field[];
  readonly onChange: (change: Partial<Rule>) => void;
}

type Counted = 'measure' | 'field' | 'several';

/** Which quota the rule has, and what counts towards it. */
export function QuotaFields({ rule, fields, onChange }: QuotaFieldsProps) {
  const counted: Counted =
    rule.quotaCredit !== undefined ? 'several' : rule.quotaMeasure !== undefined ? 'field' : 'measure';
  const count = (next: Counted) =>
    onChange({
      quotaMeasure: next === 'field' ? toField(rule) : undefined,
      quotaCredit: next === 'several' ? [{ field: toField(rule), weight: 1 }] : undefined,
    });
  return (
    <>
      <div className={styles.row}>
        <FormField label="Shared with rules of the group">
          <InlineInput
            label="Quota group"
            placeholder="own quota"
            value={rule.quotaGroup ?? ''}
            onChange={({ currentTarget }) => onChange({ quotaGroup: currentTarget.value || undefined })}
          />
        </FormField>
        <SelectField
          label="Counts towards it"
          name="What counts towards the quota"
          value={counted}
          choices={[
            ['measure', 'the measure'],
            ['field', 'another field'],
            ['several', 'several fields, or a part'],
          ]}
          onValue={count}
        />
        {counted === 'field' ? (
          <NumberFieldSelect
            label="Field"
            name="Field that counts towards the quota"
            value={rule.quotaMeasure}
            fields={fields}
            onValue={(quotaMeasure) => onChange({ quotaMeasure })}
          />
        ) : null}
      </div>
      {rule.quotaCredit === undefined ? null : (
        <Credits credits={rule.quotaCredit} fields={fields} onChange={(quotaCredit) => onChange({ quotaCredit })} />
      )}
    </>
  );
}

/** What a team earns can only be the measure. */
function toField({ measure }: Rule): string {
  return measure === teamEarnings ? 'amount' : measure;
}

interface CreditsProps {
  readonly credits: NonNullable<Rule['quotaCredit']>;
  readonly fields: readonly Field[];
  readonly onChange: (credits: NonNullable<Rule['quotaCredit']>) => void;
}

function Credits({ credits, fields, onChange }: CreditsProps) {
  const edit = (index: number, change: Partial<CreditsProps['credits'][number]>) =>
    onChange(credits.map((credit, position) => (position === index ? { ...credit, ...change } : credit)));
  return (
    <div className={styles.conditions}>
      {credits.map(({ field, weight }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a field may be listed twice while it is chosen
        <div key={index} className={styles.leaf}>
          <InlineSelect
            label="Field that counts"
            value={field}
            choices={measureChoices(fields, field)}
            onChange={({ currentTarget }) => edit(index, { field: currentTarget.value })}
          />
          <DecimalInput
            label={`Factor of ${fieldWords(field)}`}
            unit="×"
            value={weight}
            onValue={(value) => edit(index, { weight: value ?? 1 })}
          />
          <span />
          {credits.length === 1 ? null : (
            <IconButton
              icon={IconX}
              label={`Do not count ${fieldWords(field)}`}
              onClick={() => onChange(credits.filter((_, position) => position !== index))}
            />
          )}
        </div>
      ))}
      <div className={styles.adders}>
        <LinkButton className="strong" onClick={() => onChange([...credits, { field: 'amount', weight: 1 }])}>
          Add field
        </LinkButton>
      </div>
    </div>
  );
}
