import { lazy, Suspense } from 'react';
import { usePersonNames } from '../../api/people-by-id.js';
import { type PersonDetails } from '../../api/people-queries.js';
import { type Person } from '../../api/person-list-queries.js';
import { usePersistedDialog } from '../../app/persisted-state.js';
import { Button } from '../../components/Button.js';
import { Card } from '../../components/Page.js';
import { formatDay } from '../../shared/format/dates.js';

const ChangePeopleDialog = lazy(() =>
  import('./ChangePeopleDialog.js').then((module) => ({ default: module.ChangePeopleDialog })),
);

/** Who manages a person today and next. A change shows what it pays before it is saved. */
export function ManagerOfPerson({ person }: { readonly person: PersonDetails }) {
  const { id: repId } = person;
  const storageKey = `manager ${repId}`;
  const [isOpen, setOpen] = usePersistedDialog(storageKey);
  const nameOf = usePersonNames([person.managerId, person.nextManager?.managerId]);
  return (
    <Card title="Manager" action={<Button onClick={() => setOpen(true)}>Change the manager</Button>}>
      <p>{managerWords(person, nameOf)}</p>
      {isOpen ? (
        <Suspense>
          <ChangePeopleDialog
            chosen={[person]}
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

function managerWords(
  { managerId, nextManager }: Pick<Person, 'managerId' | 'nextManager'>,
  findName: ReturnType<typeof usePersonNames>,
): string {
  const nameOf = (id: string | null) => (id === null ? 'No manager' : (findName(id) ?? '…'));
  const next =
    nextManager === undefined ? '' : `; ${nameOf(nextManager.managerId)} from ${formatDay(nextManager.from, 'year')}`;
  return `${nameOf(managerId)}${next}`;
}
