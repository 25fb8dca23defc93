import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { workspaceQuery } from '../../api/settings-queries.js';
import { useSession } from '../../app/session.js';
import { Button } from '../../components/Button.js';

const DelegationsDialog = lazy(() =>
  import('./DelegationsDialog.js').then((module) => ({ default: module.DelegationsDialog })),
);

/** Lets managers and admins name who signs for them, also while nothing waits. Nothing where one person approves. */
export function DelegateButton() {
  const { role } = useSession();
  const [isOpen, setOpen] = useState(false);
  const { approvalSteps = [] } = useQuery(workspaceQuery).data ?? {};
  if (approvalSteps.length === 0 || (role !== 'manager' && role !== 'admin')) return null;
  return (
    <>
      <Button onClick={() => setOpen(true)}>Delegate</Button>
      {isOpen ? (
        <Suspense fallback={null}>
          <DelegationsDialog onClose={() => setOpen(false)} />
        </Suspense>
      ) : null}
    </>
  );
}
