import { useState } from 'react';
import { useAction } from '../api/change.js';
import { Button } from './Button.js';

interface ConfirmButtonProps<Output> {
  /** The words of the button after it was pressed once. */
  readonly confirm: string;
  readonly send: () => Promise<Output>;
  readonly onDone?: (output: Output) => void;
  readonly children: React.ReactNode;
}

/** Deletes something when it is pressed twice without leaving it. */
export function ConfirmButton<Output>({ confirm, send, onDone, children }: ConfirmButtonProps<Output>) {
  const [isAsked, setAsked] = useState(false);
  const change = useAction({ send, onDone });
  return (
    <Button
      kind="danger"
      isBusy={change.isBusy}
      onBlur={() => setAsked(false)}
      onClick={() => (isAsked ? change.send() : setAsked(true))}
    >
      {isAsked ? confirm : children}
    </Button>
  );
}
