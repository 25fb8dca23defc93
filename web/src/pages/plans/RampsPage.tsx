import { IconPlus, IconTrash } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useChange } from '../../api/change.js';
import { api } from '../../api/client.js';
import { type Ramp, rampsQuery } from '../../api/people-queries.js';
import { showMessage } from '../../app/messages.js';
import { usePersistedChoice, usePersistedForm } from '../../app/persisted-state.js';
import { Button } from '../../components/Button.js';
import { ConfirmButton } from '../../components/ConfirmButton.js';
import { Dialog } from '../../components/Dialog.js';
import { TextField } from '../../components/Field.js';
import { Loaded } from '../../components/Loaded.js';
import { Card, Page } from '../../components/Page.js';
import { EmptyState } from '../../components/States.js';
import { type EnteredStep, firstStep, type RampStep, readSteps, toEntered } from '../../features/people/ramp-steps.js';
import { formatCount, formatNumber } from '../../shared/format/numbers.js';
import styles from './Ramps.module.css';

/** How quotas of new people grow, each as a staircase. */
export function RampsPage() {
  const ramps = useQuery(rampsQuery);
  const [open, setOpen] = usePersistedChoice<string>('ramp');
  return (
    <Page
      title="Ramps"
      crumbs={[{ label: 'Ramps' }]}
      facts={['How the quota of a new person grows. Assignments choose a ramp.']}
      actions={
        <Button icon={IconPlus} kind="primary" onClick={() => setOpen('new')}>
          New ramp
        </Button>
      }
    >
      <Loaded query={ramps} height={320}>
        {(all) => (
          <>
            {all.length === 0 ? (
              <EmptyState title="No ramp yet">
                With a ramp of 25, 50 and 75 %, a new person has a quarter of the quota in the first month.
              </EmptyState>
            ) : null}
            {all.map((ramp) => (
              <Card
                key={ramp.rampId}
                title={ramp.name}
                note={formatCount(ramp.assignments, 'assignment')}
                action={<Button onClick={() => setOpen(ramp.rampId)}>Edit {ramp.name}</Button>}
              >
                <Staircase steps={ramp.steps} />
              </Card>
            ))}
            {open === null ? null : (
              <RampDialog ramp={all.find(({ rampId }) => rampId === open) ?? null} onClose={() => setOpen(null)} />
            )}
          </>
        )}
      </Loaded>
    </Page>
  );
}

/** The steps as bars, as wide as their months and as high as their percentage. */
function Staircase({ steps }: { readonly steps: readonly RampStep[] }) {
  const top = Math.max(100, ...steps.map(({ quotaPercent }) => quotaPercent));
  return (
    <ol className={styles.steps} aria-label="Steps">
      {steps.map(({ months, quotaPercent, ratePercent }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a step is identified by its position
        <li key={index} style={{ flexGrow: months }}>
          <Bar share={quotaPercent / top} className={styles.bar} />
          <span className="strong">{formatNumber(quotaPercent)} %</span>{' '}
          <span className="dim">{formatCount(months, 'month')}</span>
          {ratePercent === 100 ? null : <span className="second">deals pay {formatNumber(ratePercent)} %</span>}
        </li>
      ))}
      <li style={{ flexGrow: 2 }}>
        <Bar share={100 / top} className={styles.fullBar} />
        <span className="strong">100 %</span> <span className="dim">afterwards</span>
      </li>
    </ol>
  );
}

const barHeight = 56;

function Bar({ share, className }: { readonly share: number; readonly className: string | undefined }) {
  const height = Math.round(share * barHeight);
  return <span aria-hidden="true" className={className} style={{ height, marginTop: barHeight - height }} />;
}

function RampDialog({ ramp, onClose }: { readonly ramp: Ramp | null; readonly onClose: () => void }) {
  const [before] = useState(() => ({
    name: ramp?.name ?? '',
    steps: ramp === null ? [firstStep] : ramp.steps.map(toEntered),
  }));
  const form = usePersistedForm<{ readonly name: string; readonly steps: readonly EnteredStep[] }>(
    `ramp ${ramp?.rampId ?? 'new'}`,
    before,
  );
  const { name, steps } = form.values;
  const setSteps = (next: readonly EnteredStep[]) => form.change({ steps: next });
  const done = (message: string) => {
    showMessage(message);
    form.clear();
    onClose();
  };
  const read = readSteps(steps);
  const save = useChange({
    send: () => {
      const body = { name: name.trim(), steps: read ?? [] };
      return ramp === null ? api.createRamp({ body }) : api.updateRamp({ params: { rampId: ramp.rampId }, body });
    },
    onDone: () => done(`${name} was saved.`),
  });
  return (
    <Dialog
      title={ramp === null ? 'New ramp' : ramp.name}
      size={640}
      onClose={onClose}
      onSubmit={() => save.send()}
      change={save}
      form={form}
      action={{ disabled: name.trim() === '' || read === null, children: 'Save' }}
    >
      <TextField label="Name" {...form.field('name')} />
      {steps.map((step, index) => (
        <StepFields
          // biome-ignore lint/suspicious/noArrayIndexKey: a step is identified by its position
          key={index}
          position={index + 1}
          step={step}
          onChange={(next) => setSteps(steps.with(index, next))}
          onRemove={steps.length === 1 ? undefined : () => setSteps(steps.toSpliced(index, 1))}
        />
      ))}
      <div>
        <Button icon={IconPlus} onClick={() => setSteps([...steps, steps.at(-1) ?? firstStep])}>
          Add step
        </Button>
      </div>
      <p className="dim">
        After the last step everything counts in full. Months run by day of month from the first day of the ramp.
        {ramp === null || ramp.assignments === 0
          ? ''
          : ` Commission of ${formatCount(ramp.assignments, 'assignment')} is calculated again; approved periods get discrepancies.`}
      </p>
      {ramp === null || ramp.assignments > 0 ? null : (
        <div>
          <ConfirmButton
            confirm="Yes, delete"
            send={() => api.deleteRamp({ params: { rampId: ramp.rampId } })}
            onDone={() => done(`${ramp.name} was deleted.`)}
          >
            Delete
          </ConfirmButton>
        </div>
      )}
    </Dialog>
  );
}

interface StepFieldsProps {
  readonly position: number;
  readonly step: EnteredStep;
  readonly onChange: (step: EnteredStep) => void;
  readonly onRemove: (() => void) | undefined;
}

const stepLabels: readonly (readonly [name: keyof RampStep, label: string])[] = [
  ['months', 'Months'],
  ['quotaPercent', 'Target, %'],
  ['variablePercent', 'Variable target, %'],
  ['ratePercent', 'Commission, %'],
];

function StepFields({ position, step, onChange, onRemove }: StepFieldsProps) {
  return (
    <fieldset className={styles.entered}>
      <legend>
        Step {position}
        {onRemove === undefined ? null : (
          <Button icon={IconTrash} kind="quiet" onClick={onRemove}>
            Remove step {position}
          </Button>
        )}
      </legend>
      {stepLabels.map(([name, label]) => (
        <TextField
          key={name}
          label={label}
          aria-label={`${label}, step ${position}`}
          inputMode="decimal"
          value={step[name]}
          onChange={({ currentTarget }) => onChange({ ...step, [name]: currentTarget.value })}
        />
      ))}
    </fieldset>
  );
}
