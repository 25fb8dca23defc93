import { IconPlus, IconX } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { fieldsWithLinesQuery } from '../../api/plan-queries.js';
import { plansQuery } from '../../api/queries.js';
import { usePersistedForm } from '../../app/persisted-state.js';
import { Button, IconButton } from '../../components/Button.js';
import { Dialog } from '../../components/Dialog.js';
import { Choice, TextField } from '../../components/Field.js';
import { InlineInput, InlineSelect } from '../../components/Inline.js';
import { personFieldsQuery } from '../../features/people/person-fields.js';
import { planFields, withCurrent, withFormula } from '../../features/plans/fields.js';
import { fieldWords, isFormula } from '../../features/plans/words.js';
import { type Head, type HeadColumn, type HeadKey } from '../../features/rate-tables/edited-table.js';
import {
  headProblem,
  keyFieldChoices,
  kindChoices,
  matchChoices,
  noMatchChoices,
} from '../../features/rate-tables/head-choices.js';
import styles from './RateTables.module.css';

interface HeadDialogProps {
  readonly name: string;
  readonly head: Head;
  readonly onChange: (head: Head) => void;
  readonly onClose: () => void;
}

const maxKeys = 6;
const maxColumns = 20;

/** By what rows are looked up, and what they pay. Nothing is saved yet. */
export function HeadDialog({ name, head, onChange, onClose }: HeadDialogProps) {
  const [before] = useState(head);
  const form = usePersistedForm<Head>(`rate-table-head ${name}`, before);
  const { keys, columns } = form.values;
  const setKey = (index: number, part: Partial<HeadKey>) =>
    form.change({ keys: keys.with(index, { ...(keys[index] as HeadKey), ...part }) });
  const setColumn = (index: number, part: Partial<HeadColumn>) =>
    form.change({ columns: columns.with(index, { ...(columns[index] as HeadColumn), ...part }) });
  return (
    <Dialog
      title="Keys and columns"
      size={640}
      onClose={onClose}
      onSubmit={() => {
        form.clear();
        onChange(trimmed(form.values));
        onClose();
      }}
      form={form}
      problem={headProblem(form.values)}
      action={{ disabled: headProblem(form.values) !== null, children: 'Use these' }}
    >
      <h3>A row is looked up by</h3>
      {keys.map((key, index) => (
        <KeyFields
          key={key.id}
          value={key}
          number={index + 1}
          onChange={(part) => setKey(index, part)}
          onRemove={() => form.change({ keys: keys.toSpliced(index, 1) })}
        />
      ))}
      {keys.length === maxKeys ? null : (
        <div>
          <Button icon={IconPlus} onClick={() => form.change({ keys: [...keys, newKey(keys)] })}>
            Add key
          </Button>
        </div>
      )}
      <p className="dim">The first key in which two matching rows differ decides; a named value is before *.</p>
      <h3>A row pays</h3>
      {columns.map(({ id, name: column, kind }, index) => (
        <div key={id} className={styles.fields}>
          <InlineInput
            label={`Name of column ${index + 1}`}
            value={column}
            maxLength={100}
            onChange={({ currentTarget }) => setColumn(index, { name: currentTarget.value })}
          />
          <InlineSelect
            label={`What column ${index + 1} pays`}
            value={kind}
            choices={kindChoices}
            onChange={({ currentTarget }) => setColumn(index, { kind: currentTarget.value as HeadColumn['kind'] })}
          />
          {columns.length === 1 ? null : (
            <IconButton
              icon={IconX}
              label={`Remove column ${index + 1}`}
              onClick={() => form.change({ columns: columns.toSpliced(index, 1) })}
            />
          )}
        </div>
      ))}
      {columns.length === maxColumns ? null : (
        <div>
          <Button icon={IconPlus} onClick={() => form.change({ columns: [...columns, newColumn(columns)] })}>
            Add column
          </Button>
        </div>
      )}
      <Choice label="Products without a row" choices={noMatchChoices} {...form.field('noMatch')} />
      <TextField
        label="Currency of the amounts"
        maxLength={3}
        hint="Optional, such as USD. Plans in another currency then cannot use its amounts."
        {...form.field('currency')}
      />
    </Dialog>
  );
}

interface KeyFieldsProps {
  readonly value: HeadKey;
  readonly number: number;
  readonly onChange: (part: Partial<HeadKey>) => void;
  readonly onRemove: () => void;
}

function KeyFields({ value: { name, field, match }, number, onChange, onRemove }: KeyFieldsProps) {
  const fields = useQuery(fieldsWithLinesQuery).data ?? [];
  const ofPeople = useQuery(personFieldsQuery).data ?? [];
  const ruleNames = (useQuery(plansQuery).data ?? []).flatMap(({ rules }) => rules.map((rule) => rule.name));
  const choices = withCurrent(keyFieldChoices(planFields(fields), ofPeople, ruleNames), field, fieldWords);
  return (
    <div className={styles.fields}>
      <InlineSelect
        label={`Field of key ${number}`}
        value={field}
        choices={withFormula(choices, field)}
        onChange={({ currentTarget: { value } }) =>
          onChange({ field: value, ...(name === nameOf(field) || name === '' ? { name: nameOf(value) } : {}) })
        }
      />
      {isFormula(field) ? (
        <InlineInput
          label={`Formula of key ${number}`}
          value={field.replace(/^=\s?/, '')}
          onChange={({ currentTarget }) => onChange({ field: `= ${currentTarget.value}` })}
        />
      ) : null}
      <InlineSelect
        label={`How key ${number} matches`}
        value={match}
        choices={matchChoices}
        onChange={({ currentTarget }) => onChange({ match: currentTarget.value as HeadKey['match'] })}
      />
      <InlineInput
        label={`Name of key ${number}`}
        value={name}
        maxLength={100}
        onChange={({ currentTarget }) => onChange({ name: currentTarget.value })}
      />
      <IconButton icon={IconX} label={`Remove key ${number}`} onClick={onRemove} />
    </div>
  );
}

/** The name of a key of the field: line.product_code becomes product code. */
function nameOf(field: string): string {
  return isFormula(field) ? '' : fieldWords(field.slice(field.indexOf('.') + 1)).toLowerCase();
}

/** An id that no other has. The ids of stored ones are their names. */
function freeId(others: readonly { readonly id: string }[]): string {
  for (let number = 1; ; number += 1) {
    const id = `new ${number}`;
    if (others.every((other) => other.id !== id)) return id;
  }
}

function newKey(keys: readonly HeadKey[]): HeadKey {
  const field = ['line.family', 'line.product_code', 'rep.tenure_months'].find((one) =>
    keys.every((key) => key.field !== one),
  );
  return { id: freeId(keys), name: nameOf(field ?? ''), field: field ?? 'line.name', match: 'exact' };
}

function newColumn(columns: readonly HeadColumn[]): HeadColumn {
  return { id: freeId(columns), name: '', kind: 'rate' };
}

function trimmed({ keys, columns, noMatch, currency }: Head): Head {
  const named = <Of extends { readonly name: string }>(one: Of): Of => ({ ...one, name: one.name.trim() });
  return { keys: keys.map(named), columns: columns.map(named), noMatch, currency: currency.trim().toUpperCase() };
}
