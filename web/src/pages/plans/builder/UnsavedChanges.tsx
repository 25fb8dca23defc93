import { useBlocker } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { useHasSessionEnded } from '../../../app/session.js';
import { Button } from '../../../components/Button.js';
import { type Builder } from './use-builder.js';

const LeaveDialog = lazy(() => import('./LeaveDialog.js').then((module) => ({ default: module.LeaveDialog })));
const DiscardDialog = lazy(() => import('./DiscardDialog.js').then((module) => ({ default: module.DiscardDialog })));

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
    <Suspense fallback={null}>
      <LeaveDialog onStay={reset} onLeave={proceed} />
    </Suspense>
  );
}

/** Takes the changes of the draft back, after it has listed them. */
export function DiscardButton({ builder }: { readonly builder: Builder }) {
  const [isAsked, setAsked] = useState(false);
  if (!builder.isChanged) return null;
  return (
    <>
      <Button onClick={() => setAsked(true)}>Discard</Button>
      <Suspense fallback={null}>
        {isAsked ? <DiscardDialog builder={builder} onClose={() => setAsked(false)} /> : null}
      </Suspense>
    </>
  );
}
