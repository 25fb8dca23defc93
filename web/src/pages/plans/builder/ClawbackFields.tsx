import { IconX } from '@tabler/icons-react';
import { IconButton, LinkButton } from '../../../components/Button.js';
import { DecimalInput } from '../../../components/DecimalInput.js';
import {
  type Clawback,
  type ClawbackKind,
  clawbackSentence,
  clawbackStretches,
  firstClawback,
  kindOfClawback,
} from '../../../features/plans/clawback-words.js';
import { type Rule } from '../../../features/plans/draft.js';
import { fieldWords } from '../../../features/plans/words.js';
import styles from './Builder.module.css';
import { FormField, SelectField } from './FormField.js';

interface ClawbackFieldsProps {
  readonly rule: Rule;
  readonly onChange: (change: Partial<Rule>) => void;
}

const kinds = [
  ['none', 'nothing'],
  ['whole', 'everything, for some days'],
  ['declining', 'less with every day'],
  ['steps', 'parts, in steps'],
] as const satisfies readonly (readonly [ClawbackKind, string])[];

/** What a refund takes back of what the rule has paid, as a sentence and over time. */
export function ClawbackFields({ rule: { clawback, executionPhase, payoutMode }, onChange }: ClawbackFieldsProps) {
  const isOfPeriod = payoutMode === 'flat_per_tier' || payoutMode === 'stepped_bonus';
  if (executionPhase !== 'per_deal' || isOfPeriod) return null;
  const kind = kindOfClawback(clawback);
  const change = (part: Partial<Clawback>) => onChange({ clawback: { ...clawback, ...part } });
  return (
    <>
      <div className={styles.row}>
        <SelectField
          label="A refund takes back"
          name="What a refund takes back"
          value={kind}
          choices={kinds}
          onValue={(next) => onChange({ clawback: firstClawback(next, clawback) })}
        />
        {kind === 'whole' || kind === 'declining' ? (
          <FormField label="Days">
            <DecimalInput
              label="Days in which a refund takes something back"
              value={clawback?.window?.days}
              onValue={(days) => {
                if (days !== undefined && days >= 1)
                  change({ window: { ...clawback?.window, days: Math.floor(days) } });
              }}
            />
          </FormField>
        ) : null}
        {kind === 'none' ? null : (
          <SelectField
            label="The quota"
            name="Whether the quota loses the credit of what was refunded"
            value={clawback?.credit ?? 'refund_period'}
            choices={[
              ['refund_period', 'loses the credit'],
              ['none', 'keeps the credit'],
            ]}
            onValue={(credit) => change({ credit })}
          />
        )}
      </div>
      {clawback?.steps === undefined ? null : <Steps steps={clawback.steps} onSteps={(steps) => change({ steps })} />}
      {clawback === undefined || clawback === null ? null : <Shown policy={clawback} />}
    </>
  );
}

type Step = NonNullable<Clawback['steps']>[number];

function Steps({ steps, onSteps }: { readonly steps: readonly Step[]; readonly onSteps: (steps: Step[]) => void }) {
  const change = (index: number, part: Partial<Step>) =>
    onSteps(steps.map((step, at) => (at === index ? { ...step, ...part } : step)));
  const last = steps.at(-1)?.untilDay ?? 0;
  return (
    <>
      {steps.map(({ untilDay, percent }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a removal renders all steps again
        <div key={index} className={styles.row}>
          <FormField label="Until day">
            <DecimalInput
              label={`Last day of step ${index + 1}`}
              value={untilDay}
              onValue={(day) => change(index, { untilDay: Math.floor(day ?? 0) })}
            />
          </FormField>
          <FormField label="Percent">
            <DecimalInput
              label={`Percent of step ${index + 1}`}
              value={percent}
              onValue={(value) => change(index, { percent: value ?? 0 })}
            />
          </FormField>
          {steps.length < 2 ? null : (
            <IconButton
              label={`Remove step ${index + 1}`}
              icon={IconX}
              onClick={() => onSteps(steps.filter((_, at) => at !== index))}
            />
          )}
        </div>
      ))}
      <LinkButton onClick={() => onSteps([...steps, { untilDay: last + 30, percent: 0 }])}>Add a step</LinkButton>
    </>
  );
}

/** The sentence, and the share that is taken back over the days. */
function Shown({ policy }: { readonly policy: Clawback }) {
  const sentence = clawbackSentence(policy, fieldWords);
  const stretches = clawbackStretches(policy);
  const end = stretches.at(-1)?.to ?? 0;
  const x = (day: number) => (end === 0 ? 0 : (day / end) * 300);
  const y = (share: number) => 4 + (1 - share) * 40;
  return (
    <>
      <p className="dim">{sentence}</p>
      {end === 0 ? null : (
        <svg viewBox="0 0 304 64" width="304" height="64" role="img" aria-label={sentence}>
          {stretches.map(({ from, to, start, end: last }) => (
            <polygon
              key={from}
              points={`${x(from)},44 ${x(from)},${y(start)} ${x(to)},${y(last)} ${x(to)},44`}
              fill="var(--brand)"
              opacity="0.35"
            />
          ))}
          <line x1="0" y1="44" x2="300" y2="44" stroke="var(--rule)" />
          <text x="0" y="60" fontSize="11" fill="var(--dim)">
            day 0
          </text>
          <text x="300" y="60" fontSize="11" fill="var(--dim)" textAnchor="end">
            day {end}
          </text>
        </svg>
      )}
    </>
  );
}
