import { IconPlus, IconTrash } from '@tabler/icons-react';
import { useChange } from '../../api/change.js';
import { api } from '../../api/client.js';
import { usePersonNames } from '../../api/people-by-id.js';
import { signingPeople } from '../../api/person-list-queries.js';
import { type Workspace } from '../../api/settings-queries.js';
import { showMessage } from '../../app/messages.js';
import { usePersistedForm } from '../../app/persisted-state.js';
import blocks from '../../components/Blocks.module.css';
import { Button, IconButton } from '../../components/Button.js';
import { CheckList, Choice, TextField } from '../../components/Field.js';
import { Card } from '../../components/Page.js';
import { describeChain, describeSigners } from '../../features/approvals/chain-words.js';
import { FindPerson, usePersonFinder } from '../../features/people/PersonChoice.js';
import { type EnteredStep, newStep, readSteps, signerChoicesOf, toEnteredSteps } from './entered-steps.js';
import styles from './Settings.module.css';
import { SettingsForm } from './SettingsForm.js';

const maxSteps = 8;

/** Who signs statements, one step after the other, with a sentence that says what will happen. */
export function ApprovalStepSettings({ stored }: { readonly stored: Workspace }) {
  const form = usePersistedForm('approval-steps', { steps: toEnteredSteps(stored.approvalSteps ?? []) });
  const { steps } = form.values;
  const read = readSteps(steps);
  const findName = usePersonNames(steps.flatMap(({ repIds, escalation }) => [...repIds, ...peopleOf(escalation)]));
  const nameOf = (repId: string) => findName(repId) ?? '…';
  const save = useChange({
    send: () => api.updateWorkspace({ body: { approvalSteps: read === null || read.length === 0 ? null : read } }),
    onDone: () => {
      form.clear();
      showMessage('The chain of approval was saved.');
    },
  });
  const change = (index: number, part: Partial<EnteredStep>) =>
    form.change({ steps: steps.map((step, at) => (at === index ? { ...step, ...part } : step)) });
  return (
    <SettingsForm
      noun="chain"
      form={form}
      save={save}
      isRead={read !== null}
      note={
        form.isChanged
          ? 'Drafts keep the signatures of steps with the same name. Approved statements stay as they are.'
          : ''
      }
    >
      <Card title="Chain of approval" note="who signs a statement, in this order">
        {steps.map((step, index) => (
          <StepFields
            // biome-ignore lint/suspicious/noArrayIndexKey: a step has no other identity while it is entered
            key={index}
            number={index + 1}
            step={step}
            nameOf={nameOf}
            onChange={(part) => change(index, part)}
            onRemove={() => form.change({ steps: steps.filter((_, at) => at !== index) })}
          />
        ))}
        <Button
          icon={IconPlus}
          className={styles.add}
          disabled={steps.length >= maxSteps}
          onClick={() => form.change({ steps: [...steps, newStep] })}
        >
          Add a step
        </Button>
        <p className="dim" role="status">
          {read === null
            ? 'Each step needs a name, and people where they are chosen.'
            : describeChain(read, stored.currency, nameOf)}
        </p>
      </Card>
    </SettingsForm>
  );
}

function peopleOf(signers: EnteredStep['escalation']): readonly string[] {
  return signers != null && 'repIds' in signers ? signers.repIds : [];
}

interface SignersProps {
  readonly chosen: readonly string[];
  readonly onChange: (repIds: readonly string[]) => void;
}

function Signers({ chosen, onChange }: SignersProps) {
  const finder = usePersonFinder({ of: signingPeople, chosen });
  return (
    <>
      <FindPerson finder={finder} />
      <CheckList label="People" choices={finder.choices} chosen={chosen} onChange={onChange} />
    </>
  );
}

interface StepFieldsProps {
  readonly number: number;
  readonly step: EnteredStep;
  readonly nameOf: (repId: string) => string;
  readonly onChange: (part: Partial<EnteredStep>) => void;
  readonly onRemove: () => void;
}

function StepFields({ number, step, nameOf, onChange, onRemove }: StepFieldsProps) {
  const escalated = peopleOf(step.escalation);
  const text = (name: 'name' | 'minPayable' | 'minChange' | 'dueDays') => ({
    value: step[name],
    onChange: ({ currentTarget }: { readonly currentTarget: { readonly value: string } }) =>
      onChange({ [name]: currentTarget.value }),
  });
  return (
    <fieldset className={styles.form} aria-label={`Step ${number}`}>
      <div className={blocks.actions}>
        <span className="strong">Step {number}</span>
        <IconButton icon={IconTrash} label={`Remove step ${number}`} onClick={onRemove} />
      </div>
      <TextField label="Name" {...text('name')} />
      <Choice
        label="Signed by"
        choices={signerChoicesOf(step)}
        value={step.kind}
        onChange={({ currentTarget }) => onChange({ kind: currentTarget.value as EnteredStep['kind'] })}
      />
      {step.kind === 'people' ? <Signers chosen={step.repIds} onChange={(repIds) => onChange({ repIds })} /> : null}
      {step.kind === 'rep' ? null : (
        <TextField
          label="Only from this amount on (optional)"
          inputMode="decimal"
          hint="Statements that pay less skip the step."
          {...text('minPayable')}
        />
      )}
      <TextField
        label="Signatures survive changes up to (optional)"
        inputMode="decimal"
        hint="If every line that was signed is unchanged."
        {...text('minChange')}
      />
      <TextField label="Days until it is overdue (optional)" inputMode="numeric" {...text('dueDays')} />
      {step.kind === 'rep' || step.dueDays.trim() === '' ? null : (
        <Choice
          label="After twice these days also signed by"
          choices={[
            ['', 'nobody else'],
            ['manager', 'any manager'],
            ['admin', 'any admin'],
            ...(escalated.length === 0
              ? []
              : [['people', describeSigners({ by: { repIds: [...escalated] } }, nameOf)] as const]),
          ]}
          value={step.escalateTo}
          onChange={({ currentTarget }) => onChange({ escalateTo: currentTarget.value as EnteredStep['escalateTo'] })}
        />
      )}
    </fieldset>
  );
}
