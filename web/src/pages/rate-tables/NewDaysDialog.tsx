import { usePersistedForm } from '../../app/persisted-state.js';
import { Dialog } from '../../components/Dialog.js';
import { TextField } from '../../components/Field.js';
import { isEnteredRange } from '../../shared/format/dates.js';

interface NewDaysDialogProps {
  readonly name: string;
  readonly onChange: (day: string) => void;
  readonly onClose: () => void;
}

/** From which day on the rates are different. Nothing is saved yet. */
export function NewDaysDialog({ name, onChange, onClose }: NewDaysDialogProps) {
  const form = usePersistedForm(`rate-table-days ${name}`, { day: '' });
  const { day } = form.values;
  return (
    <Dialog
      title="New rates from a day on"
      onClose={onClose}
      onSubmit={() => {
        form.clear();
        onChange(day);
        onClose();
      }}
      form={form}
      action={{ disabled: day === '' || !isEnteredRange(day, null), children: 'Edit these rates' }}
    >
      <TextField
        label="First day"
        type="date"
        hint="Close dates from this day on are paid by the new rates, earlier ones by the present rates."
        {...form.field('day')}
      />
    </Dialog>
  );
}
