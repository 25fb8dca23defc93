import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useAction } from '../../api/change.js';
import { api } from '../../api/client.js';
import { type PersonDetails } from '../../api/people-queries.js';
import { showMessage } from '../../app/messages.js';
import { usePersistedForm } from '../../app/persisted-state.js';
import { Button } from '../../components/Button.js';
import { TextField } from '../../components/Field.js';
import { Loaded } from '../../components/Loaded.js';
import { Card } from '../../components/Page.js';
import { FieldInput } from '../../features/people/FieldInput.js';
import { type PersonField, personFieldsQuery, toFieldValues } from '../../features/people/person-fields.js';
import styles from './Person.module.css';

/** Title, team, location, and the fields that the workspace defines. */
export function ProfileOfPerson({ person }: { readonly person: PersonDetails }) {
  return (
    <Card title="Profile" action={<Link to="/person-fields">Fields of people</Link>}>
      <Loaded query={useQuery(personFieldsQuery)} height={120}>
        {(fields) => <ProfileForm person={person} fields={fields} />}
      </Loaded>
    </Card>
  );
}

interface ProfileFormProps {
  readonly person: PersonDetails;
  readonly fields: readonly PersonField[];
}

function ProfileForm({ person, fields }: ProfileFormProps) {
  const stored = Object.fromEntries(fields.map(({ slug }) => [slug, String(person.fields?.[slug] ?? '')]));
  const form = usePersistedForm(`profile ${person.id}`, {
    title: person.title ?? '',
    team: person.team ?? '',
    location: person.location ?? '',
    fields: stored,
  });
  const { values } = form;
  const save = useAction({
    send: () =>
      api.updateRep({
        params: { repId: person.id },
        body: {
          title: values.title.trim() || null,
          team: values.team.trim() || null,
          location: values.location.trim() || null,
          ...(fields.length === 0 ? {} : { fields: toFieldValues(values.fields) }),
        },
      }),
    onDone: () => {
      form.clear();
      showMessage(`The profile of ${person.name} was saved.`);
    },
  });
  return (
    <form
      className={styles.employment}
      onSubmit={(event) => {
        event.preventDefault();
        save.send();
      }}
    >
      <div className={styles.fields}>
        <TextField label="Title" {...form.field('title')} />
        <TextField label="Team" {...form.field('team')} />
        <TextField label="Location" {...form.field('location')} />
        {fields.map((field) => (
          <FieldInput
            key={field.slug}
            field={field}
            value={values.fields[field.slug] ?? ''}
            onChange={(value) => form.change({ fields: { ...values.fields, [field.slug]: value } })}
          />
        ))}
      </div>
      <Button kind="primary" type="submit" isBusy={save.isBusy} disabled={!form.isChanged}>
        Save profile
      </Button>
    </form>
  );
}
