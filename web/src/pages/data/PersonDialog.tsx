import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/client.js';
import { type Person } from '../../api/payroll-queries.js';
import { showMessage } from '../../app/messages.js';
import { roleNames } from '../../app/navigation.js';
import { type Role } from '../../app/session.js';
import { Button } from '../../components/Button.js';
import { Dialog } from '../../components/Dialog.js';
import { Choice, TextField } from '../../components/Field.js';
import { describeError } from '../../components/States.js';
import { formatInstant } from '../../format/dates.js';
import { useInvite } from './MembersPage.js';

interface PersonDialogProps {
  /** Null for a new one. */
  readonly person: Person | null;
  readonly people: readonly Person[];
  readonly onClose: () => void;
}

interface Entered {
  readonly name: string;
  readonly email: string;
  readonly role: Role;
  readonly isActive: boolean;
  readonly crmMemberId: string;
  readonly managerId: string;
  readonly managerFrom: string;
}

/** Name, role, manager from a day on, and the owner ID by which deals find the person. */
export function PersonDialog({ person, people, onClose }: PersonDialogProps) {
  const queryClient = useQueryClient();
  const [entered, setEntered] = useState<Entered>(() => enteredOf(person));
  const invite = useInvite(onClose);
  const set = (change: Partial<Entered>) => setEntered({ ...entered, ...change });
  const save = useMutation({
    mutationFn: () => send(person, entered, people),
    onSuccess: async () => {
      await queryClient.invalidateQueries();
      showMessage(`${entered.name} was saved.`);
      onClose();
    },
  });
  return (
    <Dialog
      title={person === null ? 'Add person' : person.name}
      onClose={onClose}
      onSubmit={() => save.mutate()}
      action={{
        isBusy: save.isPending,
        disabled: entered.name.trim() === '' || entered.email.trim() === '',
        children: person === null ? 'Add' : 'Save',
      }}
      problem={save.error === null ? null : describeError(save.error).message}
    >
      <TextField
        label="Name"
        value={entered.name}
        onChange={({ currentTarget }) => set({ name: currentTarget.value })}
      />
      <TextField
        label="E-mail"
        type="email"
        disabled={person !== null}
        value={entered.email}
        onChange={({ currentTarget }) => set({ email: currentTarget.value })}
      />
      <Choice
        label="Role"
        value={entered.role}
        choices={Object.entries(roleNames)}
        onChange={({ currentTarget }) => set({ role: currentTarget.value as Role })}
      />
      <ManagerFields person={person} people={people} entered={entered} onChange={set} />
      <TextField
        label="Owner ID in deals"
        hint={<Linked person={person} />}
        value={entered.crmMemberId}
        onChange={({ currentTarget }) => set({ crmMemberId: currentTarget.value })}
      />
      <Choice
        label="Sign-in"
        value={entered.isActive ? 'on' : 'off'}
        choices={[
          ['on', 'may sign in'],
          ['off', 'may not sign in'],
        ]}
        onChange={({ currentTarget }) => set({ isActive: currentTarget.value === 'on' })}
      />
      {person === null || person.invite_status === 'accepted' ? null : (
        <div>
          <Button isBusy={invite.isPending} onClick={() => invite.mutate([person.id])}>
            {person.invite_status === null ? 'Invite' : 'Invite again'}
          </Button>
        </div>
      )}
    </Dialog>
  );
}

interface ManagerFieldsProps {
  readonly person: Person | null;
  readonly people: readonly Person[];
  readonly entered: Entered;
  readonly onChange: (change: Partial<Entered>) => void;
}

function ManagerFields({ person, people, entered, onChange }: ManagerFieldsProps) {
  const isMoved = entered.managerId !== (person?.managerId ?? '');
  return (
    <>
      <Choice
        label="Manager"
        value={entered.managerId}
        choices={[
          ['', 'none'],
          ...people.filter(({ id }) => id !== person?.id).map(({ id, name }) => [id, name] as const),
        ]}
        onChange={({ currentTarget }) => onChange({ managerId: currentTarget.value })}
      />
      {isMoved ? (
        <TextField
          label="Manager since"
          type="date"
          hint="Empty: on all days. Rules of managers pay by the manager of each day."
          value={entered.managerFrom}
          onChange={({ currentTarget }) => onChange({ managerFrom: currentTarget.value })}
        />
      ) : null}
    </>
  );
}

/** Where the person comes from and when a deal of theirs was last stored. */
function Linked({ person }: { readonly person: Person | null }) {
  const { data } = useQuery({
    queryKey: ['rep', person?.id],
    queryFn: ({ signal }) => api.getRep({ params: { repId: person?.id ?? '' } }, { signal }),
    enabled: person !== null,
  });
  const last = data?.lastDealOwnedAt ?? null;
  if (last === null) return 'Deals with this owner belong to the person.';
  return `Deals with this owner belong to the person. The last one was stored ${formatInstant(last)}.`;
}

function enteredOf(person: Person | null): Entered {
  return {
    name: person?.name ?? '',
    email: person?.email ?? '',
    role: person?.role ?? 'rep',
    isActive: person?.active ?? true,
    crmMemberId: person?.crmMemberId ?? '',
    managerId: person?.managerId ?? '',
    managerFrom: '',
  };
}

/** Role, sign-in and manager are changed by another operation; name and owner ID are changed by e-mail. */
async function send(person: Person | null, entered: Entered, people: readonly Person[]): Promise<void> {
  const manager = people.find(({ id }) => id === entered.managerId) ?? null;
  if (person === null) {
    await upsert(entered, manager);
    return;
  }
  const { name, crmMemberId } = entered;
  if (name !== person.name || crmMemberId !== (person.crmMemberId ?? '')) await upsert(entered);
  const change = changeOf(person, entered, manager);
  if (change !== null) await api.updateRep({ params: { repId: person.id }, body: change });
}

/** With a manager or null it is a new person, who gets everything that was entered. */
async function upsert(entered: Entered, manager?: Person | null): Promise<void> {
  const { name, email, role, isActive, crmMemberId } = entered;
  const known = { email: email.trim(), name: name.trim(), crmMemberId: crmMemberId.trim() || null };
  const added = manager === undefined ? {} : { role, active: isActive };
  const below = manager == null ? {} : { managerEmail: manager.email, ...fromOf(entered) };
  await api.upsertReps({ body: { reps: [{ ...known, ...added, ...below }] } });
}

function fromOf({ managerFrom }: Entered) {
  return managerFrom === '' ? {} : { managerFrom };
}

function changeOf(person: Person, entered: Entered, manager: Person | null) {
  const { role, isActive, managerId } = entered;
  const isMoved = managerId !== (person.managerId ?? '');
  if (role === person.role && isActive === person.active && !isMoved) return null;
  return { role, active: isActive, ...(isMoved ? { managerId: manager?.id ?? null, ...fromOf(entered) } : {}) };
}
