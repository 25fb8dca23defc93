import { IconAlertTriangle } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useChange } from '../../api/change.js';
import { api } from '../../api/client.js';
import {
  type Absence,
  type AbsenceTerms,
  absenceEffectQuery,
  absenceRemovalQuery,
  sendAbsence,
} from '../../api/people-queries.js';
import { showMessage } from '../../app/messages.js';
import { usePersistedForm } from '../../app/persisted-state.js';
import { Button } from '../../components/Button.js';
import { Dialog } from '../../components/Dialog.js';
import { EffectOfChange } from '../../components/EffectOfChange.js';
import { TextField } from '../../components/Field.js';
import { Note } from '../../components/Note.js';
import { type EnteredAbsence, readAbsence, toEnteredAbsence } from '../../features/people/entered-absence.js';
import { formatDays } from '../../shared/format/dates.js';
import styles from './Person.module.css';

interface AbsenceDialogProps {
  readonly repId: string;
  /** Null for a new one. */
  readonly absence: Absence | null;
  readonly onClose: () => void;
}

/** Days on which a person does not work, with what they do to commission before they are saved. */
export function AbsenceDialog({ repId, absence, onClose }: AbsenceDialogProps) {
  const absenceId = absence?.absenceId ?? null;
  const [before] = useState(() => toEnteredAbsence(absence));
  const form = usePersistedForm<EnteredAbsence>(`absence ${repId} ${absenceId ?? 'new'}`, before);
  const [isDeleting, setDeleting] = useState(false);
  const terms = readAbsence(form.values);
  const save = useChange({
    send: async () => (terms === null ? null : sendAbsence(repId, absenceId, terms)),
    onDone: () => {
      showMessage('The absence was saved.');
      form.clear();
      onClose();
    },
  });
  if (absence !== null && isDeleting) return <DeleteDialog absence={absence} onClose={onClose} />;
  return (
    <Dialog
      title={absence === null ? 'Add absence' : 'Absence'}
      onClose={onClose}
      onSubmit={() => save.send()}
      change={save}
      form={form}
      action={{ disabled: terms === null, children: 'Save' }}
    >
      <div className={styles.fields}>
        <TextField label="First day" type="date" {...form.field('from')} />
        <TextField label="Last day" type="date" {...form.field('to')} />
        <TextField
          label="Relief of the target, %"
          inputMode="decimal"
          hint="100: the days do not count."
          {...form.field('quotaRelief')}
        />
        <TextField label="Relief of the variable target, %" inputMode="decimal" {...form.field('variableRelief')} />
      </div>
      <TextField label="Note" {...form.field('note')} />
      {terms === null || !form.isChanged ? null : <Effect repId={repId} absenceId={absenceId} terms={terms} />}
      {absence === null ? null : (
        <div>
          <Button kind="danger" onClick={() => setDeleting(true)}>
            Delete …
          </Button>
        </div>
      )}
    </Dialog>
  );
}

interface EffectProps {
  readonly repId: string;
  readonly absenceId: string | null;
  readonly terms: AbsenceTerms;
}

function Effect({ repId, absenceId, terms }: EffectProps) {
  const { data, error, isFetching } = useQuery(absenceEffectQuery(repId, absenceId, terms));
  return (
    <>
      <EffectOfChange query={{ data: data?.effect, error, isFetching }} what="change" />
      {data?.isWithoutProration ? (
        <Note tone="warning" icon={IconAlertTriangle} title="The absence changes nothing">
          <p>No rule of this person’s plans prorates quotas. Choose so in the rule of the plan.</p>
        </Note>
      ) : null}
    </>
  );
}

interface DeleteDialogProps {
  readonly absence: Absence;
  readonly onClose: () => void;
}

function DeleteDialog({ absence: { absenceId, from, to }, onClose }: DeleteDialogProps) {
  const remove = useChange({
    send: () => api.deleteAbsence({ params: { absenceId } }),
    onDone: () => {
      showMessage('The absence was deleted.');
      onClose();
    },
  });
  return (
    <Dialog
      title={`Delete the absence of ${formatDays({ from, to }, 'year')}`}
      onClose={onClose}
      onSubmit={() => remove.send()}
      change={remove}
      action={{ kind: 'danger', children: 'Delete' }}
    >
      <p>Its days count in full again.</p>
      <EffectOfChange query={useQuery(absenceRemovalQuery(absenceId))} what="change" />
    </Dialog>
  );
}
