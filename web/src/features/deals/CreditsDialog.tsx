import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useChange } from '../../api/change.js';
import { creditsEffectQuery, type DealCredits, sendCredits } from '../../api/credit-queries.js';
import { earningPeople } from '../../api/person-list-queries.js';
import { showMessage } from '../../app/messages.js';
import { usePersistedForm } from '../../app/persisted-state.js';
import blocks from '../../components/Blocks.module.css';
import { Button } from '../../components/Button.js';
import { Dialog } from '../../components/Dialog.js';
import { Choice, TextField } from '../../components/Field.js';
import { FindPerson, type PersonFinder, usePersonFinder } from '../people/PersonChoice.js';
import styles from './Credits.module.css';
import { EffectByPerson } from './EffectByPerson.js';
import {
  describeMissing,
  type EnteredLine,
  house,
  missingSplit,
  newLine,
  readLines,
  splitEqually,
  toEnteredLines,
} from './entered-credits.js';

interface CreditsDialogProps {
  readonly deal: DealCredits;
  readonly onClose: () => void;
}

/** The lines of a deal, and what a change of them does to the commission of each person before it is saved. */
export function CreditsDialog({ deal, onClose }: CreditsDialogProps) {
  const { dealId, dealName, source } = deal;
  const [before] = useState(() => ({ lines: toEnteredLines(deal.credits) }));
  const form = usePersistedForm<{ lines: EnteredLine[] }>(`credits ${dealId}`, before);
  const { lines } = form.values;
  const finder = usePersonFinder({
    of: earningPeople,
    chosen: lines.map(({ person }) => person),
    longFrom: maxPeopleListed,
  });
  const sent = readLines(lines);
  const [calculated] = useDebouncedValue(form.isChanged ? sent : null, 500);
  const save = useChange({
    send: () => sendCredits(dealId, sent),
    onDone: () => {
      showMessage('The shares were saved. Commission is calculated again.');
      form.clear();
      onClose();
    },
  });
  const [isReverted, setReverted] = useState(false);
  if (isReverted) return <RevertDialog deal={deal} onClose={onClose} />;
  const change = (index: number, part: Partial<EnteredLine>) =>
    form.change({ lines: lines.map((line, position) => (position === index ? { ...line, ...part } : line)) });
  return (
    <Dialog
      title={`Who is credited on ${dealName ?? dealId}`}
      size={760}
      onClose={onClose}
      onSubmit={() => save.send()}
      change={save}
      form={form}
      action={{ disabled: sent === null, children: 'Save' }}
    >
      <FindPerson finder={finder} />
      {lines.map((line, index) => (
        <LineFields
          // biome-ignore lint/suspicious/noArrayIndexKey: lines have no id, and a removal renders all of them again
          key={index}
          line={line}
          number={index + 1}
          people={finder.choices}
          onChange={(part) => change(index, part)}
          onRemove={() => form.change({ lines: lines.filter((_, position) => position !== index) })}
        />
      ))}
      <div className={blocks.actions}>
        <Button onClick={() => form.change({ lines: [...lines, newLine] })}>Add a person</Button>
        <Button onClick={() => form.change({ lines: splitEqually(lines) })}>Split equally</Button>
        {source === 'api' ? <Button onClick={() => setReverted(true)}>Remove these lines …</Button> : null}
        <p role="status" className={missingSplit(lines) === 0 ? 'dim' : 'negative'}>
          {describeMissing(missingSplit(lines))}
        </p>
      </div>
      {source === 'crm' || source === 'rule' ? (
        <p className="dim">What you save replaces the lines of the {source === 'crm' ? 'CRM' : 'credit rules'}.</p>
      ) : null}
      {calculated === null ? null : <EffectOfCredits dealId={dealId} lines={calculated} />}
    </Dialog>
  );
}

/** More people than one finds in a list at a glance. */
const maxPeopleListed = 20;

interface LineFieldsProps {
  readonly line: EnteredLine;
  readonly number: number;
  readonly people: PersonFinder['choices'];
  readonly onChange: (part: Partial<EnteredLine>) => void;
  readonly onRemove: () => void;
}

function LineFields({ line: { person, kind, role, percent }, number, people, onChange, onRemove }: LineFieldsProps) {
  return (
    <fieldset aria-label={`Line ${number}`} className={styles.line}>
      <Choice
        label="Person"
        value={person}
        choices={[...(person === '' ? [['', 'choose a person'] as const] : []), ...people, [house, 'the house']]}
        onChange={({ currentTarget }) => onChange({ person: currentTarget.value })}
      />
      <Choice
        label="Kind"
        value={kind}
        choices={[
          ['split', 'split'],
          ['overlay', 'overlay'],
        ]}
        onChange={({ currentTarget }) => onChange({ kind: currentTarget.value as EnteredLine['kind'] })}
      />
      <TextField
        label="Role"
        maxLength={50}
        value={role}
        onChange={({ currentTarget }) => onChange({ role: currentTarget.value })}
      />
      <TextField
        label="Percent"
        inputMode="decimal"
        value={percent}
        onChange={({ currentTarget }) => onChange({ percent: currentTarget.value })}
      />
      <Button onClick={onRemove} aria-label={`Remove line ${number}`}>
        Remove
      </Button>
    </fieldset>
  );
}

/** The lines that were entered are removed: those of the CRM, of credit rules or the owner count again. */
function RevertDialog({ deal: { dealId, dealName }, onClose }: CreditsDialogProps) {
  const remove = useChange({
    send: () => sendCredits(dealId, null),
    onDone: () => {
      showMessage('The lines were removed. Commission is calculated again.');
      onClose();
    },
  });
  return (
    <Dialog
      title={`Remove the entered lines of ${dealName ?? dealId}`}
      onClose={onClose}
      onSubmit={() => remove.send()}
      change={remove}
      action={{ kind: 'danger', children: 'Remove' }}
    >
      <p>The lines of the CRM or of credit rules count again. Without any, the deal is its owner’s.</p>
      <EffectOfCredits dealId={dealId} lines={null} />
    </Dialog>
  );
}

interface EffectOfCreditsProps {
  readonly dealId: string;
  readonly lines: Parameters<typeof creditsEffectQuery>[1];
}

function EffectOfCredits({ dealId, lines }: EffectOfCreditsProps) {
  return <EffectByPerson query={useQuery(creditsEffectQuery(dealId, lines))} />;
}
