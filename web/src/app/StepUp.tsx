import { lazy, Suspense } from 'react';
import { useIsStepUpOpen } from './step-up.js';

const StepUpDialog = lazy(() => import('./StepUpDialog.js').then((module) => ({ default: module.StepUpDialog })));

/** The dialog in which a person confirms that it is them, while a request waits for it. */
export function StepUp() {
  if (!useIsStepUpOpen()) return null;
  return (
    <Suspense fallback={null}>
      <StepUpDialog />
    </Suspense>
  );
}
