import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { type Person, peopleQuery } from '../../api/payroll-queries.js';
import { usePersistedDialog } from '../../app/persisted-state.js';
import { Button } from '../../components/Button.js';
import { Card } from '../../components/Page.js';
import { formatDay } from '../../shared/format/dates.js';

const ChangePeopleDialog = lazy(() =>
  import('./ChangePeopleDialog.js').then((module) => ({ default: module.ChangePeopleDialog })),
);

/** Who manages a person today and next. A change shows what it pays before it is saved. */
export function ManagerOfPerson({ repId }: { readonly repId: string }) {
  const people = useQuery(peopleQuery).data?.reps ?? [];
  const storageKey = `manager ${repId}`;
  const [isOpen, setOpen] = usePersistedDialog(storageKey);
  const person = people.find(({ id }) => id === repId);
  if (person === undefined) return null;
  return (
    <Card title="Manager" action={<Button onClick={() => setOpen(true)}>Change the manager</Button>}>
      <p>{managerWords(person, new Map(people.map(({ id, name }) => [id, name])))}</p>
      {isOpen ? (
        <Suspense>
          <ChangePeopleDialog
            chosen={[person]}
            people={people.filter(({ id }) => id !== repId)}
            what="managerId"
            storageKey={storageKey}
            onClose={() => setOpen(false)}
            onDone={() => setOpen(false)}
          />
        </Suspense>
      ) : null}
    </Card>
  );
}

function managerWords({ managerId, nextManager }: Person, names: ReadonlyMap<string, string>): string {
  const nameOf = (id: string | null) => (id === null ? 'No manager' : (names.get(id) ?? id));
  const next =
    nextManager === undefined ? '' : `; ${nameOf(nextManager.managerId)} from ${formatDay(nextManager.from, 'year')}`;
  return `${nameOf(managerId)}${next}`;
}
