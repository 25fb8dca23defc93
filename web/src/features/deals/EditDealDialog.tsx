import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useChange } from '../../api/change.js';
import { fieldMappingQuery } from '../../api/import-queries.js';
import { dealFieldsQuery, fieldOptionsQuery } from '../../api/plan-queries.js';
import { type Deal } from '../../api/queries.js';
import { showMessage } from '../../app/messages.js';
import { type PersistedForm, usePersistedForm } from '../../app/persisted-state.js';
import { useSession } from '../../app/session.js';
import { Dialog } from '../../components/Dialog.js';
import { EffectOfChange } from '../../components/EffectOfChange.js';
import { Choice, TextField } from '../../components/Field.js';
import { combineQueries, Loaded } from '../../components/Loaded.js';
import { PersonChoice } from '../people/PersonChoice.js';
import { type Field, planFields } from '../plans/fields.js';
import { fieldWords } from '../plans/words.js';
import { dealEffectQuery, writeDeal } from './deal-changes.js';
import styles from './EditDeal.module.css';
import {
  changedDeal,
  type EditedDeal,
  editedDeal,
  listFreeFields,
  listProblems,
  type StandardSlugs,
  withInput,
} from './edited-deal.js';

interface EditDealProps {
  /** Null for a new one. */
  readonly deal: Deal | null;
  /** The input that gets the focus. Default: the first. */
  readonly focus?: string | undefined;
  readonly onClose: () => void;
}

/** The values of a deal, and what a change of them does to commission before it is saved. */
export function EditDealDialog({ deal, focus, onClose }: EditDealProps) {
  const query = combineQueries({ mapping: useQuery(fieldMappingQuery), fields: useQuery(dealFieldsQuery) });
  return (
    <Loaded query={query} height={0}>
      {({ mapping, fields }) => (
        <DealForm {...{ deal, focus, onClose }} standard={mapping.standard} fields={planFields(fields)} />
      )}
    </Loaded>
  );
}

interface DealFormProps extends EditDealProps {
  readonly standard: StandardSlugs;
  readonly fields: readonly Field[];
}

function DealForm({ deal, focus, standard, fields, onClose }: DealFormProps) {
  const { currency } = useSession().workspace;
  const [before] = useState(() => withInput(editedDeal(deal, standard), focus));
  const initial = deal === null ? { ...before, currency } : before;
  const form = usePersistedForm<EditedDeal>(`deal ${deal?.deal_id ?? 'new'}`, initial);
  const problems = listProblems(before, form.values);
  const hasProblem = Object.keys(problems).length > 0;
  const row = changedDeal(before, form.values, standard, fields);
  const isSendable = row !== null && row.dealId !== '' && !hasProblem;
  const [settledRow] = useDebouncedValue(isSendable ? row : null, 500);
  const effect = useQuery(dealEffectQuery(settledRow));
  const save = useChange({
    send: async () => {
      if (row !== null) await writeDeal(row, deal === null);
    },
    onDone: () => {
      showMessage('The deal was saved. Commission is calculated again.');
      form.clear();
      onClose();
    },
  });
  return (
    <Dialog
      title={deal === null ? 'Add deal' : `Edit ${deal.name ?? deal.deal_id}`}
      size={560}
      onClose={onClose}
      onSubmit={() => save.send()}
      change={save}
      form={form}
      action={{ disabled: !isSendable, children: deal === null ? 'Add' : 'Save' }}
    >
      {deal === null ? <TextField label="Deal ID" required {...form.field('dealId')} /> : null}
      <CommonValues form={form} focus={focus} problems={problems} />
      <OtherValues form={form} focus={focus} fields={fields} standard={standard} />
      {deal?.provider == null ? null : (
        <p className="dim">
          The deal is from a CRM. Values that you change here stay when it changes there; the page of the deal shows
          where they differ.
        </p>
      )}
      {settledRow === null ? null : <EffectOfChange query={effect} what="change" />}
    </Dialog>
  );
}

interface ValuesProps {
  readonly focus: string | undefined;
  readonly form: PersistedForm<EditedDeal>;
}

function CommonValues({ form, focus, problems }: ValuesProps & { readonly problems: ReturnType<typeof listProblems> }) {
  const { data: stages = [] } = useQuery(fieldOptionsQuery('stage'));
  const { repId } = form.values;
  const field = (name: Parameters<typeof form.field>[0]) => ({
    ...form.field(name),
    'data-autofocus': name === focus || undefined,
  });
  return (
    <>
      <TextField label="Name" problem={problems.name} {...field('name')} />
      <PersonChoice label="Person" first={repId === '' ? [['', 'no person']] : []} {...field('repId')} />
      <div className={styles.pair}>
        <TextField label="Amount" inputMode="decimal" problem={problems.amount} {...field('amount')} />
        <TextField label="Currency" maxLength={3} problem={problems.currency} {...field('currency')} />
      </div>
      <div className={styles.pair}>
        <TextField label="Close date" type="date" problem={problems.closeDate} {...field('closeDate')} />
        <TextField label="Stage" list="deal-stages" problem={problems.stage} {...field('stage')} />
      </div>
      <datalist id="deal-stages">
        {stages.map(({ value }) => (
          <option key={value} value={value} />
        ))}
      </datalist>
    </>
  );
}

interface OtherValuesProps extends ValuesProps {
  readonly fields: readonly Field[];
  readonly standard: StandardSlugs;
}

/** The other fields of the deal, and a choice of those that it lacks. */
function OtherValues({ form, focus, fields, standard }: OtherValuesProps) {
  const { others } = form.values;
  const set = (slug: string, text: string) => form.change({ others: { ...others, [slug]: text } });
  const labels = new Map(fields.map(({ slug, label }) => [slug, label]));
  const free = listFreeFields(fields, others, standard);
  return (
    <>
      {Object.entries(others).map(([slug, text]) => (
        <TextField
          key={slug}
          label={labels.get(slug) ?? fieldWords(slug)}
          value={text}
          data-autofocus={focus === `field ${slug}` || undefined}
          onChange={({ currentTarget }) => set(slug, currentTarget.value)}
        />
      ))}
      {free.length === 0 ? null : (
        <Choice
          label="Add a field"
          value=""
          choices={[['', 'Choose a field'], ...free.map(({ slug, label }) => [slug, label] as const)]}
          onChange={({ currentTarget }) => set(currentTarget.value, '')}
        />
      )}
    </>
  );
}
