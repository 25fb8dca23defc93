import { IconX } from '@tabler/icons-react';
import { IconButton, LinkButton } from '../../../components/Button.js';
import { DecimalInput } from '../../../components/DecimalInput.js';
import { type Rule } from '../../../features/plans/draft.js';
import { type Field, fieldChoices } from '../../../features/plans/fields.js';
import { isWhole, type Payout, type PayoutPart, payoutWords, waitWords } from '../../../features/plans/payout.js';
import styles from './Builder.module.css';
import { FormField, SelectField } from './FormField.js';

interface PayoutFieldsProps {
  readonly rule: Rule;
  readonly fields: readonly Field[];
  readonly onChange: (change: Partial<Rule>) => void;
}

type Kind = 'at_once' | 'schedule' | 'parts';

/** When what the rule earns is paid, which only workspaces with payouts follow. */
export function PayoutFields({ rule, fields, onChange }: PayoutFieldsProps) {
  const { payout, executionPhase } = rule;
  const kind: Kind = payout === undefined ? 'at_once' : 'parts' in payout ? 'parts' : 'schedule';
  return (
    <>
      <div className={styles.row}>
        <SelectField
          label="It is paid"
          name="When what the rule earns is paid"
          value={kind}
          choices={[
            ['at_once', payoutWords({ executionPhase, payout: undefined })],
            ['schedule', executionPhase === 'periodic' ? 'some days later' : 'as the customer pays, or on days'],
            ['parts', 'in equal parts'],
          ]}
          onValue={(next) => onChange({ payout: firstPayout(next, rule) })}
        />
        {payout !== undefined && 'parts' in payout ? <PartFields payout={payout} onChange={onChange} /> : null}
      </div>
      {payout !== undefined && 'schedule' in payout ? (
        <Schedule
          parts={payout.schedule}
          choices={listWaits(rule, fields)}
          onChange={(schedule) => onChange({ payout: { schedule } })}
        />
      ) : null}
      {payout === undefined ? null : <p className="second">Paid {payoutWords(rule)}.</p>}
      {payout === undefined || isWhole(payout) ? null : <p className="negative">The parts have to add up to 100 %.</p>}
    </>
  );
}

function firstPayout(kind: Kind, { executionPhase }: Rule): Payout | undefined {
  if (kind === 'parts') return { parts: 3, everyMonths: 1 };
  if (kind === 'at_once') return undefined;
  return { schedule: [{ on: executionPhase === 'periodic' ? 'close' : 'paid', percent: 100 }] };
}

/** What parts may wait for: periodic rules have no deal. */
function listWaits({ executionPhase, payout }: Rule, fields: readonly Field[]): readonly (readonly [string, string])[] {
  const close = ['close', executionPhase === 'periodic' ? 'the last day of the period' : 'the close date'] as const;
  if (executionPhase === 'periodic') return [close];
  const used = payout !== undefined && 'schedule' in payout ? payout.schedule.map(({ on }) => on) : [];
  const slug = used.find((on) => waitWords[on] === undefined);
  const dates = fieldChoices(fields, slug, ({ type }) => type === 'date' || type === 'timestamp');
  return [
    close,
    ['paid', 'payments of the customer'],
    ['paid_in_full', 'the last payment of the customer'],
    ...dates.map(([value, label]) => [value, `the date ${label}`] as const),
  ];
}

interface PartFieldsProps {
  readonly payout: Extract<Payout, { readonly parts: number }>;
  readonly onChange: PayoutFieldsProps['onChange'];
}

function PartFields({ payout, onChange }: PartFieldsProps) {
  const change = (part: Partial<typeof payout>) => onChange({ payout: { ...payout, ...part } });
  return (
    <>
      <FormField label="Parts">
        <DecimalInput
          label="Number of equal parts"
          value={payout.parts}
          onValue={(parts) => change({ parts: Math.max(1, Math.round(parts ?? 1)) })}
        />
      </FormField>
      <FormField label="Months between them">
        <DecimalInput
          label="Months from one part to the next"
          value={payout.everyMonths}
          onValue={(everyMonths) => change({ everyMonths: Math.max(1, Math.round(everyMonths ?? 1)) })}
        />
      </FormField>
    </>
  );
}

interface ScheduleProps {
  readonly parts: readonly PayoutPart[];
  readonly choices: readonly (readonly [value: string, label: string])[];
  readonly onChange: (parts: readonly PayoutPart[]) => void;
}

function Schedule({ parts, choices, onChange }: ScheduleProps) {
  const edit = (index: number, change: Partial<PayoutPart>) =>
    onChange(parts.map((part, position) => (position === index ? withoutZero({ ...part, ...change }) : part)));
  return (
    <div className={styles.conditions}>
      {parts.map(({ on, percent, offsetDays }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two parts may wait for the same
        <div key={index} className={styles.leaf}>
          <FormField label="Share">
            <DecimalInput
              label={`Percent of part ${index + 1}`}
              unit="%"
              value={percent}
              onValue={(value) => edit(index, { percent: value ?? 0 })}
            />
          </FormField>
          <FormField label="Days after">
            <DecimalInput
              label={`Days after what part ${index + 1} waits for`}
              value={offsetDays ?? 0}
              onValue={(value) => edit(index, { offsetDays: Math.max(0, Math.round(value ?? 0)) })}
            />
          </FormField>
          <SelectField
            label="Waits for"
            name={`What part ${index + 1} waits for`}
            value={on}
            choices={choices}
            onValue={(value) => edit(index, { on: value })}
          />
          {parts.length === 1 ? (
            <span />
          ) : (
            <IconButton
              icon={IconX}
              label={`Remove part ${index + 1}`}
              onClick={() => onChange(parts.filter((_, position) => position !== index))}
            />
          )}
        </div>
      ))}
      <div className={styles.adders}>
        <LinkButton
          className="strong"
          onClick={() => onChange([...parts, { on: choices[0]?.[0] ?? 'close', percent: rest(parts) }])}
        >
          Add part
        </LinkButton>
      </div>
    </div>
  );
}

/** A part without delay says so by having none. */
function withoutZero({ offsetDays, ...part }: PayoutPart): PayoutPart {
  return offsetDays === undefined || offsetDays === 0 ? part : { ...part, offsetDays };
}

/** What the parts leave of the amount, at most. */
function rest(parts: readonly PayoutPart[]): number {
  const shared = parts.reduce((sum, { percent }) => sum + Math.round(percent * 1e6), 0);
  return Math.max(0, (100e6 - shared) / 1e6);
}
