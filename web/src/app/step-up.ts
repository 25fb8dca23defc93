import { useSyncExternalStore } from 'react';
import { confirmWith } from '../api/client.js';

/** What the open dialog decides. */
interface Decision {
  readonly made: Promise<boolean>;
  readonly make: (isConfirmed: boolean) => void;
}

let current: Decision | null = null;
const listeners = new Set<() => void>();

function set(next: Decision | null): void {
  current = next;
  for (const listener of listeners) listener();
}

/** Opens the dialog that asks for a code, once for all requests that wait for it. */
function openDialog(): Promise<boolean> {
  if (current !== null) return current.made;
  let make: Decision['make'] = () => undefined;
  const made = new Promise<boolean>((resolve) => {
    make = resolve;
  });
  set({ made, make });
  return made;
}

confirmWith(openDialog);

/** Closes the dialog. Confirmed requests are sent again, others fail. */
export function closeDialog(isConfirmed: boolean): void {
  const decision = current;
  set(null);
  decision?.make(isConfirmed);
}

/** Whether a request waits for the person to confirm that it is them. */
export function useIsStepUpOpen(): boolean {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => current !== null,
  );
}
