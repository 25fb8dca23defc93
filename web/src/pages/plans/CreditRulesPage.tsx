import { useDebouncedValue } from '@mantine/hooks';
import { IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useChange } from '../../api/change.js';
import { api } from '../../api/client.js';
import {
  type CreditRule,
  type CreditRuleChange,
  creditRuleEffectQuery,
  creditRuleRemovalQuery,
  creditRulesQuery,
  sendCreditRule,
} from '../../api/credit-queries.js';
import { fieldsQuery } from '../../api/plan-queries.js';
import { showMessage } from '../../app/messages.js';
import { usePersistedChoice, usePersistedForm } from '../../app/persisted-state.js';
import blocks from '../../components/Blocks.module.css';
import { Button } from '../../components/Button.js';
import { Dialog } from '../../components/Dialog.js';
import { EffectOfChange } from '../../components/EffectOfChange.js';
import { Choice, TextField } from '../../components/Field.js';
import { combineQueries, Loaded } from '../../components/Loaded.js';
import { DealLink } from '../../components/links.js';
import { Card, Page } from '../../components/Page.js';
import { EmptyState } from '../../components/States.js';
import {
  describeLines,
  describeRule,
  type EnteredRule,
  readRule,
  toEnteredRule,
} from '../../features/deals/entered-credit-rule.js';
import { type Field, planFields } from '../../features/plans/fields.js';
import { formatCount } from '../../shared/format/numbers.js';
import { ConditionList } from './builder/ConditionList.js';

/** Rules that credit the people whom fields of a deal name, such as a sales engineer. */
export function CreditRulesPage() {
  const rules = useQuery(creditRulesQuery);
  const query = combineQueries({ rules, fields: useQuery(fieldsQuery) });
  const [open, setOpen] = usePersistedChoice<string>('credit-rule');
  return (
    <Page
      title="Credit rules"
      crumbs={[{ label: 'Credit rules' }]}
      facts={['Credit the people whom fields of a deal name, without an entry for each deal']}
      actions={
        <Button icon={IconPlus} kind="primary" onClick={() => setOpen('new')}>
          New credit rule
        </Button>
      }
    >
      <Loaded query={query} height={320}>
        {({ rules: all, fields }) => (
          <>
            {all.length === 0 ? (
              <EmptyState title="No credit rule yet">
                If deals have a field with their sales engineer, a rule credits this person on each of them.
              </EmptyState>
            ) : null}
            {all.map((rule) => (
              <Card
                key={rule.creditRuleId}
                title={rule.name}
                action={<Button onClick={() => setOpen(rule.creditRuleId)}>Edit {rule.name}</Button>}
              >
                <p>
                  {describeRule(rule, (slug) => planFields(fields).find((field) => field.slug === slug)?.label ?? slug)}
                </p>
              </Card>
            ))}
            {all.length < 2 ? null : (
              <p className="dim">The rules apply in the order of their names. A split gets what the owner still has.</p>
            )}
            {open === null ? null : (
              <RuleDialog
                rule={all.find(({ creditRuleId }) => creditRuleId === open) ?? null}
                fields={planFields(fields)}
                onClose={() => setOpen(null)}
              />
            )}
          </>
        )}
      </Loaded>
    </Page>
  );
}

interface RuleDialogProps {
  readonly rule: CreditRule | null;
  readonly fields: readonly Field[];
  readonly onClose: () => void;
}

function RuleDialog({ rule, fields, onClose }: RuleDialogProps) {
  const creditRuleId = rule?.creditRuleId ?? null;
  const [before] = useState(() => toEnteredRule(rule));
  const form = usePersistedForm<EnteredRule>(`credit-rule ${creditRuleId ?? 'new'}`, before);
  const [isDeleting, setDeleting] = useState(false);
  const terms = readRule(form.values);
  const [sent] = useDebouncedValue(form.isChanged ? terms : null, 500);
  const save = useChange({
    send: async () => {
      if (terms !== null) await sendCreditRule(creditRuleId, terms);
    },
    onDone: () => {
      showMessage(`${form.values.name} was saved.`);
      form.clear();
      onClose();
    },
  });
  if (rule !== null && isDeleting) return <DeleteDialog rule={rule} onClose={onClose} />;
  return (
    <Dialog
      title={rule === null ? 'New credit rule' : rule.name}
      size={560}
      onClose={onClose}
      onSubmit={() => save.send()}
      change={save}
      form={form}
      action={{ disabled: terms === null, children: 'Save' }}
    >
      <TextField label="Name" maxLength={200} {...form.field('name')} />
      <Choice
        label="Kind"
        choices={[
          ['overlay', 'overlay, in addition to the splits'],
          ['split', 'split, from what the owner has'],
        ]}
        {...form.field('kind')}
      />
      <TextField label="Field with the person" list="credit-rule-fields" {...form.field('personField')} />
      <TextField
        label="Percent, or the field with it"
        list="credit-rule-fields"
        hint="A number such as 50, or a field of the deal."
        {...form.field('percent')}
      />
      <TextField label="Role" maxLength={50} hint="Optional. Rules of plans may name it." {...form.field('role')} />
      <TextField label="First close date" type="date" {...form.field('effectiveStart')} />
      <TextField label="Last close date" type="date" {...form.field('effectiveEnd')} />
      <datalist id="credit-rule-fields">
        {fields.map(({ slug, label }) => (
          <option key={slug} value={slug}>
            {label}
          </option>
        ))}
      </datalist>
      <h3>Only on deals where</h3>
      <ConditionList
        label="Conditions of the credit rule"
        conditions={form.values.conditions}
        fields={fields}
        onChange={(conditions) => form.change({ conditions })}
      />
      {sent === null ? null : <EffectOfRule creditRuleId={creditRuleId} terms={sent} />}
      {rule === null ? null : (
        <div>
          <Button kind="danger" onClick={() => setDeleting(true)}>
            Delete …
          </Button>
        </div>
      )}
    </Dialog>
  );
}

interface EffectOfRuleProps {
  readonly creditRuleId: string | null;
  readonly terms: Parameters<typeof creditRuleEffectQuery>[1];
}

function EffectOfRule({ creditRuleId, terms }: EffectOfRuleProps) {
  return <Effect query={useQuery(creditRuleEffectQuery(creditRuleId, terms))} />;
}

interface EffectProps {
  readonly query: {
    readonly data: CreditRuleChange | undefined;
    readonly error: Error | null;
    readonly isFetching: boolean;
  };
}

/** What the change does to commission, and to the lines of some deals. */
function Effect({ query: { data, error, isFetching } }: EffectProps) {
  return (
    <>
      <EffectOfChange
        query={{ data: data === undefined ? undefined : (data.effect ?? null), error, isFetching }}
        what="change"
      />
      {data === undefined ? null : <p className="dim">Credit lines of {formatCount(data.deals, 'deal')} change.</p>}
      <ul className={blocks.lines} aria-label="Some of these deals">
        {(data?.samples ?? []).slice(0, maxSamples).map(({ dealId, dealName, before, after }) => (
          <li key={dealId}>
            <DealLink dealId={dealId} name={dealName} />
            <span className="dim">
              {describeLines(before)} → {describeLines(after)}
            </span>
          </li>
        ))}
      </ul>
    </>
  );
}

const maxSamples = 5;

function DeleteDialog({
  rule: { creditRuleId, name },
  onClose,
}: Pick<RuleDialogProps, 'onClose'> & { rule: CreditRule }) {
  const remove = useChange({
    send: () => api.deleteCreditRule({ params: { creditRuleId } }),
    onDone: () => {
      showMessage(`${name} was deleted.`);
      onClose();
    },
  });
  return (
    <Dialog
      title={`Delete ${name}`}
      onClose={onClose}
      onSubmit={() => remove.send()}
      change={remove}
      action={{ kind: 'danger', children: 'Delete' }}
    >
      <p>The lines that it gives no longer count.</p>
      <Effect query={useQuery(creditRuleRemovalQuery(creditRuleId))} />
    </Dialog>
  );
}
