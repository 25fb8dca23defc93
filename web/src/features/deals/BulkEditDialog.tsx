import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useChange } from '../../api/change.js';
import { fieldMappingQuery } from '../../api/import-queries.js';
import { dealFieldsQuery, fieldOptionsQuery } from '../../api/plan-queries.js';
import { type Deal } from '../../api/queries.js';
import { showMessage } from '../../app/messages.js';
import { type PersistedForm, usePersistedForm } from '../../app/persisted-state.js';
import { Dialog } from '../../components/Dialog.js';
import { EffectOfChange } from '../../components/EffectOfChange.js';
import { CheckField, Choice, TextField } from '../../components/Field.js';
import { combineQueries, Loaded } from '../../components/Loaded.js';
import { formatCount, formatNumber } from '../../shared/format/numbers.js';
import { PersonChoice } from '../people/PersonChoice.js';
import { type Field, planFields } from '../plans/fields.js';
import { type BulkValue, bulkChoices, bulkProblem, bulkRows, isCommonValue, isCompleteValue } from './bulk-edit.js';
import { dealsEffectQuery, writeDeals } from './deal-changes.js';
import { type StandardSlugs } from './edited-deal.js';

interface BulkEditProps {
  readonly deals: readonly Deal[];
  readonly onClose: () => void;
  readonly onDone: () => void;
}

/** One value for many deals, and what that does to commission before it is saved. */
export function BulkEditDialog(props: BulkEditProps) {
  const query = combineQueries({ mapping: useQuery(fieldMappingQuery), fields: useQuery(dealFieldsQuery) });
  return (
    <Loaded query={query} height={0}>
      {({ mapping, fields }) => <BulkForm {...props} standard={mapping.standard} fields={planFields(fields)} />}
    </Loaded>
  );
}

interface BulkFormProps extends BulkEditProps {
  readonly standard: StandardSlugs;
  readonly fields: readonly Field[];
}

function BulkForm({ deals, standard, fields, onClose, onDone }: BulkFormProps) {
  const form = usePersistedForm<BulkValue>('bulk edit', { name: '', text: '', isRemoved: false });
  const [value] = useDebouncedValue(form.values, 500);
  const isComplete = isCompleteValue(form.values);
  const rows = useMemo(
    () => (isCompleteValue(value) ? bulkRows(deals, value, standard, fields) : []),
    [deals, value, standard, fields],
  );
  const isSettled = value === form.values || JSON.stringify(value) === JSON.stringify(form.values);
  const effect = useQuery(dealsEffectQuery(rows));
  const save = useChange({
    send: () => writeDeals(rows),
    onDone: (count) => {
      showMessage(`${formatCount(count, 'deal')} changed. Commission is calculated again.`);
      form.clear();
      onDone();
    },
  });
  return (
    <Dialog
      title={`Edit ${formatCount(deals.length, 'deal')}`}
      onClose={onClose}
      onSubmit={() => save.send()}
      change={save}
      form={form}
      action={{
        disabled: !isComplete || !isSettled || rows.length === 0,
        children: rows.length === 0 ? 'Save' : `Save ${formatCount(rows.length, 'deal')}`,
      }}
    >
      <Choice
        label="What to change"
        choices={[['', 'Choose a value'], ...bulkChoices(fields, standard)]}
        value={form.values.name}
        onChange={({ currentTarget }) => form.change({ name: currentTarget.value, text: '', isRemoved: false })}
      />
      {form.values.name === '' ? null : <Value form={form} />}
      {isComplete && isSettled ? (
        <p className="dim">
          {rows.length === 0
            ? 'All of them have this value already.'
            : `${formatNumber(rows.length)} of ${formatCount(deals.length, 'deal')} have another value now.`}
        </p>
      ) : null}
      {rows.length === 0 ? null : <EffectOfChange query={effect} what="change" />}
    </Dialog>
  );
}

function Value({ form }: { readonly form: PersistedForm<BulkValue> }) {
  const { data: stages = [] } = useQuery(fieldOptionsQuery('stage'));
  const { name, isRemoved = false } = form.values;
  if (name === 'repId')
    return <PersonChoice label="Person" first={[['', 'Choose a person']]} {...form.field('text')} />;
  return (
    <>
      <TextField
        label="New value"
        disabled={isRemoved}
        type={name === 'closeDate' ? 'date' : 'text'}
        inputMode={name === 'amount' ? 'decimal' : undefined}
        list={name === 'stage' ? 'bulk-stages' : undefined}
        problem={bulkProblem(form.values)}
        {...form.field('text')}
      />
      <datalist id="bulk-stages">
        {stages.map((stage) => (
          <option key={stage.value} value={stage.value} />
        ))}
      </datalist>
      {isCommonValue(name) ? null : (
        <CheckField
          label="Remove the value"
          checked={isRemoved}
          onChange={({ currentTarget }) => form.change({ text: '', isRemoved: currentTarget.checked })}
        />
      )}
    </>
  );
}
