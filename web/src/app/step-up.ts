import { confirmWith } from '../api/client.js';
import { createStore } from './store.js';

/** What the open dialog decides. */
interface Decision {
  readonly made: Promise<boolean>;
  readonly make: (isConfirmed: boolean) => void;
}

const current = createStore<Decision | null>(null);

/** Opens the dialog that asks for a code, once for all requests that wait for it. */
function openDialog(): Promise<boolean> {
  const open = current.get();
  if (open !== null) return open.made;
  const { promise: made, resolve: make } = Promise.withResolvers<boolean>();
  current.set({ made, make });
  return made;
}

confirmWith(openDialog);

/** Closes the dialog. Confirmed requests are sent again, others fail. */
export function closeDialog(isConfirmed: boolean): void {
  const decision = current.get();
  current.set(null);
  decision?.make(isConfirmed);
}

/** Whether a request waits for the person to confirm that it is them. */
export function useIsStepUpOpen(): boolean {
  return current.use() !== null;
}
