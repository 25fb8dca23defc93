import { confirmWith } from '../api/client.js';
import { createStore } from './store.js';

/** The decision for which the open dialog waits. */
interface Decision {
  readonly isConfirmed: Promise<boolean>;
  readonly decide: (isConfirmed: boolean) => void;
}

const current = createStore<Decision | null>(null);

/** Opens the dialog that asks for a code, once for all requests that wait for it. */
function openDialog(): Promise<boolean> {
  const open = current.get();
  if (open !== null) return open.isConfirmed;
  const { promise: isConfirmed, resolve: decide } = Promise.withResolvers<boolean>();
  current.set({ isConfirmed, decide });
  return isConfirmed;
}

confirmWith(openDialog);

/** Closes the dialog. Confirmed requests are sent again, others fail. */
export function closeDialog(isConfirmed: boolean): void {
  const decision = current.get();
  current.set(null);
  decision?.decide(isConfirmed);
}

/** Whether a request waits for the person to confirm that it is them. */
export function useIsStepUpOpen(): boolean {
  return current.use() !== null;
}
