import { IconX } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { fieldsQuery } from '../../../api/plan-queries.js';
import { usePersistedForm } from '../../../app/persisted-state.js';
import { Button, IconButton, LinkButton } from '../../../components/Button.js';
import { DecimalInput } from '../../../components/DecimalInput.js';
import { Dialog } from '../../../components/Dialog.js';
import { TextField } from '../../../components/Field.js';
import { InlineInput, InlineSelect } from '../../../components/Inline.js';
import { type Draft, freeName, type PlanTest, type Rule } from '../../../features/plans/draft.js';
import { planFields, withCurrent } from '../../../features/plans/fields.js';
import { countMonths, measureOf } from '../../../features/plans/rules.js';
import {
  dealProperties,
  moreValues,
  renamedValue,
  shownValue,
  typedValue,
  withValue,
} from '../../../features/plans/test-deal.js';
import { fieldWords } from '../../../features/plans/words.js';
import { todayIn } from '../../../shared/format/dates.js';
import { periodAt } from '../../../shared/format/periods.js';
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

/** Inputs that were emptied are absent from the test. */
function withoutEmpty(test: PlanTest): PlanTest {
  return Object.fromEntries(Object.entries(test).filter(([, value]) => value !== undefined)) as PlanTest;
}

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
  return { measure: measureOf(rule), period: periodAt(day, countMonths(rule), rule.calendar), target: 100_000 };
}

/** Made-up deals, quotas and what the rules must pay for them. */
export function TestDialog({ name, test, draft, onSave, onRemove, onClose }: TestDialogProps) {
  const [before] = useState<PlanTest>(() => test ?? newTest(draft));
  const form = usePersistedForm(`plan-test ${name}`, before);
  const edited = form.values;
  const { rules } = draft.terms;
  const isTaken = draft.tests.some((other) => other !== test && other.name === edited.name);
  const rest = Object.keys(edited).filter((key) => !['name', 'deals', 'quotas', 'expected', 'total'].includes(key));
  return (
    <Dialog
      title={test === null ? 'New plan test' : 'Plan test'}
      size={760}
      onClose={onClose}
      onSubmit={() => {
        form.clear();
        onSave(withoutEmpty(edited));
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
      <div className={styles.total}>
        <span className="dim">Everything that the plan pays in the test</span>
        <DecimalInput
          label="Sum of everything that the plan pays in the test"
          placeholder="not checked"
          value={edited.total}
          onValue={(total) => form.change({ total })}
        />
      </div>
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
  readonly children: (entry: Entry, edit: (change: Entry) => void, position: number) => React.ReactNode;
  /** More lines about an entry. */
  readonly below?: (entry: Entry, replace: (entry: Entry) => void, position: number) => React.ReactNode;
}

function Entries({ title, entries, add, addWords, onChange, children, below }: EntriesProps) {
  return (
    <fieldset className={styles.entries}>
      <legend>{title}</legend>
      {entries.map((entry, position) => {
        const replace = (changed: Entry) =>
          onChange(entries.map((entry, index) => (index === position ? changed : entry)));
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: an entry has no identity but its position
          <div key={position}>
            <div className={styles.entry}>
              {children(entry, (change) => replace({ ...entry, ...change }), position + 1)}
              <IconButton
                icon={IconX}
                label={`Remove line ${position + 1} of ${title}`}
                onClick={() => onChange(entries.filter((_, index) => index !== position))}
              />
            </div>
            {below?.(entry, replace, position + 1)}
          </div>
        );
      })}
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
      below={(deal, replace, position) => <MoreValues deal={deal} position={position} onChange={replace} />}
    >
      {(deal, edit, position) => (
        <>
          <InlineInput
            label={`ID of deal ${position}`}
            placeholder="ID"
            value={String(deal['dealId'] ?? '')}
            onChange={({ currentTarget }) => edit({ dealId: currentTarget.value })}
          />
          <DecimalInput
            label={`Amount of deal ${position}`}
            placeholder="amount"
            value={deal['amount'] as number | undefined}
            onValue={(amount) => edit({ amount })}
          />
          <InlineInput
            label={`Stage of deal ${position}`}
            placeholder="stage"
            value={String(deal['stage'] ?? '')}
            onChange={({ currentTarget }) => edit({ stage: currentTarget.value })}
          />
          <InlineInput
            label={`Close date of deal ${position}`}
            type="date"
            value={String(deal['closeDate'] ?? '')}
            onChange={({ currentTarget }) => edit({ closeDate: currentTarget.value })}
          />
        </>
      )}
    </Entries>
  );
}

interface MoreValuesProps {
  readonly deal: Entry;
  readonly position: number;
  readonly onChange: (deal: Entry) => void;
}

/** The fields of a deal that have no column, and those that it may have. */
function MoreValues({ deal, position, onChange }: MoreValuesProps) {
  const { data = [] } = useQuery(fieldsQuery);
  const fields = planFields(data);
  const values = moreValues(deal);
  const taken = new Set(values.map(([key]) => key));
  const inColumns = new Set(['amount', 'stage', 'closeDate', 'dealName', 'ownerId', 'currency', 'createdDate']);
  const choices = [
    ...fields.flatMap(({ slug, label }) => (inColumns.has(slug) ? [] : [[slug, label] as const])),
    ...dealProperties,
  ];
  const free = choices.find(([key]) => !taken.has(key));
  return (
    <div className={styles.moreValues}>
      {values.map(([key, value]) => {
        const label = choices.find(([first]) => first === key)?.[1] ?? fieldWords(key);
        const type = fields.find(({ slug }) => slug === key)?.type;
        return (
          <div key={key} className={styles.moreValue}>
            <InlineSelect
              label={`Field of deal ${position}`}
              value={key}
              choices={withCurrent(
                choices.filter(([first]) => first === key || !taken.has(first)),
                key,
                fieldWords,
              )}
              onChange={({ currentTarget }) => onChange(renamedValue(deal, key, currentTarget.value))}
            />
            <InlineInput
              label={`${label} of deal ${position}`}
              value={shownValue(value)}
              onChange={({ currentTarget }) => onChange(withValue(deal, key, typedValue(currentTarget.value, type)))}
            />
            <IconButton
              icon={IconX}
              label={`Remove ${label} of deal ${position}`}
              onClick={() => onChange(withValue(deal, key, undefined))}
            />
          </div>
        );
      })}
      {free === undefined ? null : (
        <LinkButton onClick={() => onChange(withValue(deal, free[0], ''))}>
          Add field<span className="unseen"> to deal {position}</span>
        </LinkButton>
      )}
    </div>
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
      {(quota, edit, position) => (
        <>
          <InlineSelect
            label={`Rule of quota ${position}`}
            value={String(quota['measure'] ?? '')}
            choices={withCurrent(measures, String(quota['measure'] ?? ''))}
            onChange={({ currentTarget }) => edit({ measure: currentTarget.value })}
          />
          <InlineInput
            label={`Period of quota ${position}`}
            value={String(quota['period'] ?? '')}
            onChange={({ currentTarget }) => edit({ period: currentTarget.value })}
          />
          <DecimalInput
            label={`Target of quota ${position}`}
            value={quota['target'] as number | undefined}
            onValue={(target) => edit({ target: target ?? 0 })}
          />
          <DecimalInput
            label={`Variable target of quota ${position}`}
            placeholder="variable target"
            value={quota['variableTarget'] as number | undefined}
            onValue={(variableTarget) => edit({ variableTarget })}
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
      {(amount, edit, position) => (
        <>
          <InlineSelect
            label={`Rule of amount ${position}`}
            value={String(amount['ruleName'] ?? '')}
            choices={withCurrent(
              rules.map(({ name }) => [name, name] as const),
              String(amount['ruleName'] ?? ''),
            )}
            onChange={({ currentTarget }) => edit({ ruleName: currentTarget.value })}
          />
          <InlineInput
            label={`Deal of amount ${position}, or empty for all`}
            placeholder="all deals"
            value={String(amount['dealId'] ?? '')}
            onChange={({ currentTarget }) => edit({ dealId: currentTarget.value || undefined })}
          />
          <InlineInput
            label={`Period of amount ${position}, or empty for all`}
            placeholder="all periods"
            value={String(amount['period'] ?? '')}
            onChange={({ currentTarget }) => edit({ period: currentTarget.value || undefined })}
          />
          <InlineInput
            label={`Person of amount ${position}, or empty for all`}
            placeholder="everyone"
            value={String(amount['rep'] ?? '')}
            onChange={({ currentTarget }) => edit({ rep: currentTarget.value || undefined })}
          />
          <DecimalInput
            label={`Amount ${position}`}
            value={amount['amount'] as number | undefined}
            onValue={(amount) => edit({ amount: amount ?? 0 })}
          />
        </>
      )}
    </Entries>
  );
}
