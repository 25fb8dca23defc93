import { IconAlertTriangle } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { type SomePeople } from '../../api/payroll-queries.js';
import { isPersisted } from '../../app/persisted-state.js';
import { mayPay, useSession } from '../../app/session.js';
import { LinkButton } from '../../components/Button.js';
import { Note } from '../../components/Note.js';
import styles from './Payroll.module.css';
import { PayrollIdDialog, payrollIdKey } from './PayrollIdDialog.js';

interface MissingIdsProps {
  readonly of: SomePeople;
  readonly title: string;
  readonly children: ReactNode;
}

/** A warning about people without an ID in the payroll system, which is added here. */
export function MissingIds({ of: { people, count }, title, children }: MissingIdsProps) {
  const { role } = useSession();
  const [edited, setEdited] = useState(() => people.find(({ repId }) => isPersisted(payrollIdKey(repId))) ?? null);
  const mayAdd = mayPay(role) && people.length > 0;
  return (
    <Note
      tone="warning"
      icon={IconAlertTriangle}
      title={title}
      actions={count > people.length ? <PeopleLink /> : undefined}
    >
      <p>{children}</p>
      {mayAdd ? (
        <p className={styles.adds}>
          {people.map((person) => (
            <LinkButton key={person.repId} onClick={() => setEdited(person)}>
              Add ID of {person.name}
            </LinkButton>
          ))}
        </p>
      ) : null}
      {edited === null ? null : (
        <PayrollIdDialog
          person={{ id: edited.repId, name: edited.name, payrollId: null }}
          onClose={() => setEdited(null)}
        />
      )}
    </Note>
  );
}

export function PeopleLink() {
  const { role } = useSession();
  return role === 'manager' ? null : <Link to="/people">People and IDs</Link>;
}
