import { useChange } from '../../api/change.js';
import { api } from '../../api/client.js';
import { type Person } from '../../api/payroll-queries.js';
import { useKeptForm } from '../../app/kept-state.js';
import { Dialog } from '../../components/Dialog.js';
import { TextField } from '../../components/Field.js';

interface PayrollIdDialogProps {
  readonly person: Person;
  readonly onClose: () => void;
}

/** Where the entered ID is kept until it is saved. */
export function payrollIdKey(repId: string): string {
  return `payroll-id ${repId}`;
}

/** Sets or removes the ID of a person in the payroll system. */
export function PayrollIdDialog({ person, onClose }: PayrollIdDialogProps) {
  const form = useKeptForm(payrollIdKey(person.id), { payrollId: person.payrollId ?? '' });
  const payrollId = form.values.payrollId.trim();
  const save = useChange({
    send: () =>
      api.updateRep({ params: { repId: person.id }, body: { payrollId: payrollId === '' ? null : payrollId } }),
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
      action={{ children: 'Save' }}
    >
      <TextField
        label="Payroll ID"
        hint="As in the payroll system; leave it empty to remove it"
        maxLength={50}
        {...form.field('payrollId')}
      />
    </Dialog>
  );
}
