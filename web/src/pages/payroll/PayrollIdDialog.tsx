import { useChange } from '../../api/change.js';
import { api } from '../../api/client.js';
import { type Person } from '../../api/person-list-queries.js';
import { usePersistedForm } from '../../app/persisted-state.js';
import { Dialog } from '../../components/Dialog.js';
import { TextField } from '../../components/Field.js';

interface PayrollIdDialogProps {
  readonly person: Pick<Person, 'name' | 'payrollId'> & { readonly id: string };
  readonly onClose: () => void;
}

/** Where the entered ID is kept until it is saved. */
export function payrollIdKey(repId: string): string {
  return `payroll-id ${repId}`;
}

/** Adds the ID of a person in the payroll system, or changes or removes it. */
export function PayrollIdDialog({ person, onClose }: PayrollIdDialogProps) {
  const form = usePersistedForm(payrollIdKey(person.id), { payrollId: person.payrollId ?? '' });
  const payrollId = form.values.payrollId.trim();
  const save = useChange({
    send: () => {
      const params = { repId: person.id };
      return person.payrollId === null
        ? api.addPayrollId({ params, body: { payrollId } })
        : api.updateRep({ params, body: { payrollId: payrollId === '' ? null : payrollId } });
    },
    onDone: () => {
      form.clear();
      onClose();
    },
  });
  return (
    <Dialog
      title={`Payroll ID of ${person.name}`}
      onClose={onClose}
      onSubmit={() => save.send()}
      change={save}
      form={form}
      action={{ children: 'Save', disabled: person.payrollId === null && payrollId === '' }}
    >
      <TextField
        label="Payroll ID"
        hint={
          person.payrollId === null
            ? 'As in the payroll system'
            : 'As in the payroll system; leave it empty to remove it'
        }
        maxLength={50}
        {...form.field('payrollId')}
      />
    </Dialog>
  );
}
