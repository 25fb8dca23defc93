import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useChange } from '../../api/change.js';
import { type Answer, api } from '../../api/client.js';
import { managerEffectQuery, personQuery } from '../../api/people-queries.js';
import { type Person } from '../../api/person-list-queries.js';
import { showMessage } from '../../app/messages.js';
import { roleNames } from '../../app/navigation.js';
import { type PersistedForm, usePersistedForm } from '../../app/persisted-state.js';
import { type Role } from '../../app/session.js';
import { Button } from '../../components/Button.js';
import { Dialog } from '../../components/Dialog.js';
import { EffectOfChange } from '../../components/EffectOfChange.js';
import { Choice, TextField } from '../../components/Field.js';
import { FieldInput } from '../../features/people/FieldInput.js';
import { PersonChoice } from '../../features/people/PersonChoice.js';
import { personFieldsQuery, toFieldValues } from '../../features/people/person-fields.js';
import { formatInstant, isEnteredRange } from '../../shared/format/dates.js';
import { formatCount } from '../../shared/format/numbers.js';
import { useInvite } from './use-invite.js';

interface PersonDialogProps {
  /** Null for a new one. */
  readonly person: Person | null;
  readonly onClose: () => void;
}

interface Entered {
  readonly name: string;
  readonly email: string;
  readonly role: Role;
  readonly signIn: 'on' | 'off';
  readonly crmMemberId: string;
  readonly managerId: string;
  readonly managerFrom: string;
  readonly title: string;
  readonly team: string;
  readonly location: string;
  readonly hireDate: string;
  /** Values of the fields that the workspace defines, by slug. */
  readonly fields: Readonly<Record<string, string>>;
}

/** Name, role, profile, manager from a day on, and the owner ID by which deals find the person. */
export function PersonDialog({ person, onClose }: PersonDialogProps) {
  const [before] = useState(() => toEntered(person));
  const form = usePersistedForm(`person ${person?.id ?? 'new'}`, before);
  const { name, email } = form.values;
  const invite = useInvite();
  const save = useChange({
    send: () => send(person, form.values),
    onDone: (left) => {
      showMessage(`${name} was saved. ${leftInWords(left)}`.trimEnd());
      form.clear();
      onClose();
    },
  });
  return (
    <Dialog
      title={person === null ? 'Add person' : person.name}
      onClose={onClose}
      onSubmit={() => save.send()}
      change={save}
      form={form}
      action={{
        disabled: name.trim() === '' || email.trim() === '',
        children: person === null ? 'Add' : 'Save',
      }}
    >
      <TextField label="Name" {...form.field('name')} />
      <TextField label="E-mail" type="email" disabled={person !== null} {...form.field('email')} />
      <Choice label="Role" choices={Object.entries(roleNames)} {...form.field('role')} />
      <TextField label="Title" hint="Such as Account Executive" {...form.field('title')} />
      <TextField label="Team" hint="Such as North" {...form.field('team')} />
      <TextField label="Location" {...form.field('location')} />
      {person === null ? (
        <TextField
          label="Hire date"
          type="date"
          hint="The first day. Prorated quotas begin on it."
          {...form.field('hireDate')}
        />
      ) : null}
      <OwnFields form={form} />
      <ManagerFields person={person} form={form} />
      <TextField label="Owner ID in deals" hint={<Linked person={person} />} {...form.field('crmMemberId')} />
      <Choice
        label="Sign-in"
        choices={[
          ['on', 'may sign in'],
          ['off', 'may not sign in'],
        ]}
        {...form.field('signIn')}
      />
      {person === null ? null : (
        <Link to="/members/$repId" params={{ repId: person.id }} onClick={onClose}>
          Working time: employment, absences and ramps
        </Link>
      )}
      {person === null || person.invite_status === 'accepted' ? null : (
        <div>
          <Button isBusy={invite.isBusy} onClick={() => invite.send([person.id])}>
            {person.invite_status === null ? 'Invite' : 'Invite again'}
          </Button>
        </div>
      )}
    </Dialog>
  );
}

/** The fields that the workspace defines. */
function OwnFields({ form: { values, change } }: { readonly form: PersistedForm<Entered> }) {
  const { data: fields = [] } = useQuery(personFieldsQuery);
  return fields.map((field) => (
    <FieldInput
      key={field.slug}
      field={field}
      value={values.fields[field.slug] ?? ''}
      onChange={(value) => change({ fields: { ...values.fields, [field.slug]: value } })}
    />
  ));
}

interface ManagerFieldsProps {
  readonly person: Person | null;
  readonly form: PersistedForm<Entered>;
}

function ManagerFields({ person, form }: ManagerFieldsProps) {
  const isMoved = form.values.managerId !== (person?.managerId ?? '');
  return (
    <>
      <PersonChoice
        label="Manager"
        except={person === null ? [] : [person.id]}
        first={[['', 'none']]}
        {...form.field('managerId')}
      />
      {isMoved ? (
        <TextField
          label="Manager since"
          type="date"
          hint="Empty: on all days. Rules of managers pay by the manager of each day."
          {...form.field('managerFrom')}
        />
      ) : null}
      {isMoved && person !== null && isEnteredRange(form.values.managerFrom || null, null) ? (
        <ManagerEffect
          repId={person.id}
          change={{ managerId: form.values.managerId || null, ...toFirstDay(form.values) }}
        />
      ) : null}
    </>
  );
}

function ManagerEffect({
  repId,
  change,
}: {
  readonly repId: string;
  readonly change: Parameters<typeof managerEffectQuery>[1];
}) {
  return <EffectOfChange query={useQuery(managerEffectQuery(repId, change))} what="change" />;
}

/** Where the person comes from and when a deal of theirs was last stored. */
function Linked({ person }: { readonly person: Person | null }) {
  const { data } = useQuery({ ...personQuery(person?.id ?? ''), enabled: person !== null });
  const last = data?.lastDealOwnedAt ?? null;
  if (last === null) return 'Deals with this owner belong to the person.';
  return `Deals with this owner belong to the person. The last one was stored ${formatInstant(last)}.`;
}

function toEntered(person: Person | null): Entered {
  return {
    name: person?.name ?? '',
    email: person?.email ?? '',
    role: person?.role ?? 'rep',
    signIn: (person?.active ?? true) ? 'on' : 'off',
    crmMemberId: person?.crmMemberId ?? '',
    managerId: person?.managerId ?? '',
    managerFrom: '',
    title: person?.title ?? '',
    team: person?.team ?? '',
    location: person?.location ?? '',
    hireDate: person?.hireDate ?? '',
    fields: Object.fromEntries(Object.entries(person?.fields ?? {}).map(([slug, value]) => [slug, String(value)])),
  };
}

/** What stays behind when a person loses their access. */
type LeftBehind = Pick<Answer<'updateRep'>, 'validKeys' | 'reports'>;

/** Role, sign-in and manager are changed by another operation; name and owner ID are changed by e-mail. */
async function send(person: Person | null, entered: Entered): Promise<LeftBehind> {
  if (person === null) {
    const ids = entered.managerId;
    const [manager = null] = ids === '' ? [] : (await api.listReps({ query: { ids } })).reps;
    await upsert(entered, manager);
    return {};
  }
  const { name, crmMemberId } = entered;
  if (name !== person.name || crmMemberId !== (person.crmMemberId ?? '')) await upsert(entered);
  const change = toChange(person, entered);
  return change === null ? {} : await api.updateRep({ params: { repId: person.id }, body: change });
}

/** The end of a person's rights ends their sessions, not the keys that they have created, and changes no manager. */
function leftInWords({ validKeys = [], reports = [] }: LeftBehind): string {
  const imports = validKeys.filter(({ kind }) => kind === 'scheduled_import');
  const keys = validKeys.filter(({ kind }) => kind !== 'scheduled_import');
  const named = (listed: typeof validKeys) => listed.map(({ name }) => name).join(', ');
  return [
    ...reports.map(
      ({ count }) =>
        `${formatCount(count, 'person reports', 'people report')} to this person, who may not sign in. Give them another manager.`,
    ),
    ...(keys.length === 0
      ? []
      : [`Keys created by this person stay valid: ${named(keys)}. Revoke or replace them on the page API keys.`]),
    ...(imports.length === 0 ? [] : [`Scheduled imports confirmed by this person go on: ${named(imports)}.`]),
  ].join(' ');
}

/** A new person has a manager or null, and gets everything that was entered. */
async function upsert(entered: Entered, manager?: Person | null): Promise<void> {
  const { name, email, role, signIn, crmMemberId, hireDate } = entered;
  const known = { email: email.trim(), name: name.trim(), crmMemberId: crmMemberId.trim() || null };
  const rights = { role, active: signIn === 'on' };
  const added = manager === undefined ? {} : { ...rights, ...toProfile(entered), hireDate: hireDate || null };
  const below = manager == null ? {} : { managerEmail: manager.email, ...toFirstDay(entered) };
  await api.upsertReps({ body: { reps: [{ ...known, ...added, ...below }] } });
}

function toProfile({ title, team, location, fields }: Entered) {
  return {
    title: title.trim() || null,
    team: team.trim() || null,
    location: location.trim() || null,
    ...(Object.keys(fields).length === 0 ? {} : { fields: toFieldValues(fields) }),
  };
}

function toFirstDay({ managerFrom }: Entered) {
  return managerFrom === '' ? {} : { managerFrom };
}

function toChange(person: Person, entered: Entered) {
  const { role, managerId } = entered;
  const active = entered.signIn === 'on';
  const isMoved = managerId !== (person.managerId ?? '');
  const profile = toProfile(entered);
  const isSameProfile = JSON.stringify(profile) === JSON.stringify(toProfile(toEntered(person)));
  if (role === person.role && active === person.active && !isMoved && isSameProfile) return null;
  // Role and sign-in ask for a fresh sign-in, which other changes do not need.
  const rights = role === person.role && active === person.active ? {} : { role, active };
  return { ...rights, ...profile, ...(isMoved ? { managerId: managerId || null, ...toFirstDay(entered) } : {}) };
}
