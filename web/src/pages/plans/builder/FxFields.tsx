import { InlineInput } from '../../../components/Inline.js';
import { type PlanFx } from '../../../features/plans/draft.js';
import { fxDateWords } from '../../../features/plans/fx-words.js';
import { todayIn } from '../../../shared/format/dates.js';
import styles from './Builder.module.css';
import { FormField, SelectField } from './FormField.js';

interface FxFieldsProps {
  readonly fx: PlanFx | undefined;
  readonly currency: string;
  readonly onChange: (fx: PlanFx | undefined) => void;
}

const choices = [
  ['none', 'pay nothing'],
  ...Object.entries(fxDateWords).map(([date, words]) => [date, `convert at the rate of ${words}`] as const),
] as readonly (readonly [PlanFx['date'] | 'none', string])[];

/** Whether deals in other currencies are converted, and whose rate counts. */
export function FxFields({ fx, currency, onChange }: FxFieldsProps) {
  const choose = (date: PlanFx['date'] | 'none') => {
    if (date === 'none') return onChange(undefined);
    const table = fx?.table === undefined ? {} : { table: fx.table };
    onChange(date === 'fixed' ? { date, day: fx?.day ?? todayIn('UTC'), ...table } : { date, ...table });
  };
  return (
    <>
      <h3>Deals in other currencies than {currency}</h3>
      <div className={styles.row}>
        <SelectField
          label="Other currencies"
          name="Deals in other currencies"
          value={fx?.date ?? 'none'}
          choices={choices}
          onValue={choose}
        />
        {fx?.date === 'fixed' ? (
          <FormField label="Day of the rates">
            <InlineInput
              label="Day of the rates"
              type="date"
              value={fx.day ?? ''}
              onChange={({ currentTarget }) => onChange({ ...fx, day: currentTarget.value || todayIn('UTC') })}
            />
          </FormField>
        ) : null}
        {fx === undefined ? null : (
          <FormField label="Table of rates">
            <InlineInput
              label="Table of rates"
              placeholder="default"
              maxLength={50}
              value={fx.table ?? ''}
              onChange={({ currentTarget: { value } }) => {
                const { table: _, ...rest } = fx;
                onChange(value === '' ? rest : { ...rest, table: value });
              }}
            />
          </FormField>
        )}
      </div>
      {fx?.date === 'period_end' ? (
        <p className="dim">Until a period has ended, the latest rate counts, and commission may still move with it.</p>
      ) : null}
    </>
  );
}
