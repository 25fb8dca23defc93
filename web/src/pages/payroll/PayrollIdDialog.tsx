import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/client.js';
import { type Person, peopleQuery } from '../../api/payroll-queries.js';
import { Dialog } from '../../components/Dialog.js';
import { TextField } from '../../components/Field.js';
import { describeError } from '../../components/States.js';

interface PayrollIdDialogProps {
  readonly person: Person;
  readonly onClose: () => void;
}

/** Sets or removes the ID of a person in the payroll system. */
export function PayrollIdDialog({ person, onClose }: PayrollIdDialogProps) {
  const [text, setText] = useState(person.payrollId ?? '');
  const queryClient = useQueryClient();
  const { mutate, isPending, error } = useMutation({
    mutationFn: () =>
      api.updateRep({
        params: { repId: person.id },
        body: { payrollId: text.trim() === '' ? null : text.trim() },
      }),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: peopleQuery.queryKey });
      await queryClient.invalidateQueries({ queryKey: ['payroll-file'] });
      await queryClient.invalidateQueries({ queryKey: ['team-statements'] });
      onClose();
    },
  });
  return (
    <Dialog
      title={`Payroll ID of ${person.name}`}
      onClose={onClose}
      onSubmit={() => mutate()}
      problem={error === null ? null : describeError(error).message}
      action={{ children: 'Save', isBusy: isPending }}
    >
      <TextField
        label="Payroll ID"
        hint="As in the payroll system; leave it empty to remove it"
        maxLength={50}
        value={text}
        onChange={({ currentTarget }) => setText(currentTarget.value)}
      />
    </Dialog>
  );
}
