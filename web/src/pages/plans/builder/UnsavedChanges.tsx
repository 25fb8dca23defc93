import { useBlocker } from '@tanstack/react-router';
import { useState } from 'react';
import { useHasSessionEnded, useSession } from '../../../app/session.js';
import { Button } from '../../../components/Button.js';
import { Dialog } from '../../../components/Dialog.js';
import { listDifferences } from '../../../features/plans/differences.js';
import { DifferenceList } from '../DifferenceList.js';
import { type Builder } from './use-builder.js';

/** Asks before the page is left with a draft that is not saved. The tab keeps the draft; closing the tab deletes it. */
export function LeaveGuard({ builder: { isChanged } }: { readonly builder: Builder }) {
  const hasEnded = useHasSessionEnded();
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: ({ current, next }) => isChanged && current.pathname !== next.pathname,
    // After the end of the session, signing in returns to this page.
    enableBeforeUnload: () => isChanged && !hasEnded,
    withResolver: true,
  });
  if (status !== 'blocked') return null;
  return (
    <Dialog title="Leave without saving?" onClose={reset} onSubmit={proceed} action={{ children: 'Leave' }}>
      <p>Your changes pay nothing until you save them. This tab of the browser keeps them until you come back.</p>
    </Dialog>
  );
}

/** Takes the changes of the draft back, after it has listed them. */
export function DiscardButton({ builder }: { readonly builder: Builder }) {
  const { workspace } = useSession();
  const { draft, saved, isChanged, discard } = builder;
  const [isAsked, setAsked] = useState(false);
  if (!isChanged) return null;
  const differences = saved === null ? [] : listDifferences(saved, draft, workspace.currency);
  return (
    <>
      <Button onClick={() => setAsked(true)}>Discard</Button>
      {isAsked ? (
        <Dialog
          title="Discard your changes?"
          onClose={() => setAsked(false)}
          onSubmit={() => {
            discard();
            setAsked(false);
          }}
          action={{ kind: 'danger', children: 'Discard changes' }}
        >
          <p>{saved === null ? 'The plan is not saved.' : 'This cannot be undone:'}</p>
          <DifferenceList differences={differences} />
        </Dialog>
      ) : null}
    </>
  );
}
