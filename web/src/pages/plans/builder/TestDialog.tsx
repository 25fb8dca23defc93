import { IconX } from '@tabler/icons-react';
import { useState } from 'react';
import { useKeptForm } from '../../../app/kept-state.js';
import { Button, IconButton, LinkButton } from '../../../components/Button.js';
import { DecimalInput } from '../../../components/DecimalInput.js';
import { Dialog } from '../../../components/Dialog.js';
import { TextField } from '../../../components/Field.js';
import { InlineInput, InlineSelect } from '../../../components/Inline.js';
import { todayIn } from '../../../format/dates.js';
import { periodAt } from '../../../format/periods.js';
import { type Draft, freeName, type PlanTest, type Rule } from '../../../plans/draft.js';
import { withCurrent } from '../../../plans/fields.js';
import { measureOf } from '../../../plans/rules.js';
import styles from './Builder.module.css';

interface TestDialogProps {
  /** Distinguishes what is kept for each test. */
  readonly name: string;
  /** Null for a new one. */
  readonly test: PlanTest | null;
  readonly draft: Draft;
  readonly onSave: (test: PlanTest) => void;
  readonly onRemove: () => void;
  readonly onClose: () => void;
}

type Entry = Readonly<Record<string, unknown>>;

const lengths = { monthly: 1, quarterly: 3, semi_annual: 6, annual: 12 } as const;

function newTest({ tests, terms: { rules } }: Draft): PlanTest {
  const day = todayIn('UTC');
  const rule = rules[0];
  return {
    name: freeName(tests, 'A deal'),
    deals: [{ dealId: 'deal-1', amount: 10_000, stage: 'Won', closeDate: day }],
    ...(rule === undefined || rule.tiers.length < 2 ? {} : { quotas: [quotaFor(rule, day)] }),
    expected: [{ ruleName: rule?.name ?? '', amount: 0 }],
  };
}

function quotaFor(rule: Rule, day: string): Entry {
  return { measure: measureOf(rule), period: periodAt(day, lengths[rule.attainmentPeriod]), target: 100_000 };
}

/** Made-up deals, quotas and what the rules must pay for them. */
export function TestDialog({ name, test, draft, onSave, onRemove, onClose }: TestDialogProps) {
  const [before] = useState<PlanTest>(() => test ?? newTest(draft));
  const form = useKeptForm(`plan-test ${name}`, before);
  const edited = form.values;
  const { rules } = draft.terms;
  const isTaken = draft.tests.some((one) => one !== test && one.name === edited.name);
  const rest = Object.keys(edited).filter((key) => !['name', 'deals', 'quotas', 'expected', 'total'].includes(key));
  return (
    <Dialog
      title={test === null ? 'New plan test' : 'Plan test'}
      size={760}
      onClose={onClose}
      onSubmit={() => {
        form.clear();
        onSave(edited);
      }}
      form={form}
      action={{ disabled: isTaken || edited.name.trim() === '', children: 'Keep test' }}
    >
      <TextField
        label="Name"
        required
        value={edited.name}
        problem={isTaken ? 'Another test has this name.' : null}
        onChange={({ currentTarget }) => form.change({ name: currentTarget.value })}
      />
      <Deals deals={edited.deals} onChange={(deals) => form.change({ deals })} />
      <Quotas entries={edited.quotas ?? []} rules={rules} onChange={(quotas) => form.change({ quotas })} />
      <Expected entries={edited.expected} rules={rules} onChange={(expected) => form.change({ expected })} />
      {rest.length === 0 ? null : <p className="dim">It also has: {rest.join(', ')}. See the JSON of the plan.</p>}
      {test === null ? null : (
        <div>
          <Button
            onClick={() => {
              form.clear();
              onRemove();
            }}
          >
            Delete test
          </Button>
        </div>
      )}
    </Dialog>
  );
}

interface EntriesProps {
  readonly title: string;
  readonly entries: readonly Entry[];
  readonly add: () => Entry;
  readonly addWords: string;
  readonly onChange: (entries: readonly Entry[]) => void;
  readonly children: (entry: Entry, edit: (change: Entry) => void, place: number) => React.ReactNode;
}

function Entries({ title, entries, add, addWords, onChange, children }: EntriesProps) {
  return (
    <fieldset className={styles.entries}>
      <legend>{title}</legend>
      {entries.map((entry, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: an entry has no identity but its place
        <div key={place} className={styles.entry}>
          {children(
            entry,
            (change) => onChange(entries.map((one, index) => (index === place ? { ...one, ...change } : one))),
            place + 1,
          )}
          <IconButton
            icon={IconX}
            label={`Remove line ${place + 1} of ${title}`}
            onClick={() => onChange(entries.filter((_, index) => index !== place))}
          />
        </div>
      ))}
      <LinkButton className="strong" onClick={() => onChange([...entries, add()])}>
        {addWords}
      </LinkButton>
    </fieldset>
  );
}

interface DealsProps {
  readonly deals: readonly Entry[];
  readonly onChange: (deals: readonly Entry[]) => void;
}

function Deals({ deals, onChange }: DealsProps) {
  return (
    <Entries
      title="Deals"
      entries={deals}
      addWords="Add deal"
      add={() => ({ ...deals.at(-1), dealId: nextDealId(deals) })}
      onChange={onChange}
    >
      {(deal, edit, place) => (
        <>
          <InlineInput
            label={`ID of deal ${place}`}
            value={String(deal['dealId'] ?? '')}
            onChange={({ currentTarget }) => edit({ dealId: currentTarget.value })}
          />
          <DecimalInput
            label={`Amount of deal ${place}`}
            value={deal['amount'] as number | undefined}
            onValue={(amount) => edit({ amount })}
          />
          <InlineInput
            label={`Stage of deal ${place}`}
            value={String(deal['stage'] ?? '')}
            onChange={({ currentTarget }) => edit({ stage: currentTarget.value })}
          />
          <InlineInput
            label={`Close date of deal ${place}`}
            type="date"
            value={String(deal['closeDate'] ?? '')}
            onChange={({ currentTarget }) => edit({ closeDate: currentTarget.value })}
          />
        </>
      )}
    </Entries>
  );
}

/** One more than the largest number, because a deal before the last may have been removed. */
function nextDealId(deals: readonly Entry[]): string {
  const numbers = deals.map(({ dealId }) => Number(/\d+$/.exec(String(dealId))?.[0] ?? 0));
  return `deal-${Math.max(0, ...numbers) + 1}`;
}

interface RuleEntriesProps {
  readonly entries: readonly Entry[];
  readonly rules: readonly Rule[];
  readonly onChange: (entries: readonly Entry[]) => void;
}

function Quotas({ entries, rules, onChange }: RuleEntriesProps) {
  const measures = [...new Set(rules.map(measureOf))].map((name) => [name, name] as const);
  return (
    <Entries
      title="Quotas"
      entries={entries}
      addWords="Add quota"
      add={() => (rules[0] === undefined ? {} : quotaFor(rules[0], todayIn('UTC')))}
      onChange={onChange}
    >
      {(quota, edit, place) => (
        <>
          <InlineSelect
            label={`Rule of quota ${place}`}
            value={String(quota['measure'] ?? '')}
            choices={withCurrent(measures, String(quota['measure'] ?? ''))}
            onChange={({ currentTarget }) => edit({ measure: currentTarget.value })}
          />
          <InlineInput
            label={`Period of quota ${place}`}
            value={String(quota['period'] ?? '')}
            onChange={({ currentTarget }) => edit({ period: currentTarget.value })}
          />
          <DecimalInput
            label={`Target of quota ${place}`}
            value={quota['target'] as number | undefined}
            onValue={(target) => edit({ target: target ?? 0 })}
          />
        </>
      )}
    </Entries>
  );
}

function Expected({ entries, rules, onChange }: RuleEntriesProps) {
  return (
    <Entries
      title="Must pay"
      entries={entries}
      addWords="Add amount"
      add={() => ({ ruleName: rules[0]?.name ?? '', amount: 0 })}
      onChange={onChange}
    >
      {(one, edit, place) => (
        <>
          <InlineSelect
            label={`Rule of amount ${place}`}
            value={String(one['ruleName'] ?? '')}
            choices={withCurrent(
              rules.map(({ name }) => [name, name] as const),
              String(one['ruleName'] ?? ''),
            )}
            onChange={({ currentTarget }) => edit({ ruleName: currentTarget.value })}
          />
          <InlineInput
            label={`Deal of amount ${place}, or empty for all`}
            placeholder="all deals"
            value={String(one['dealId'] ?? '')}
            onChange={({ currentTarget }) => edit({ dealId: currentTarget.value || undefined })}
          />
          <DecimalInput
            label={`Amount ${place}`}
            value={one['amount'] as number | undefined}
            onValue={(amount) => edit({ amount: amount ?? 0 })}
          />
        </>
      )}
    </Entries>
  );
}
