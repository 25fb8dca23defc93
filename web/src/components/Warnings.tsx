import { plainMessage } from '../shared/format/plain-message.js';

interface WarningsProps {
  readonly warnings: readonly { readonly message: string }[];
}

/** What the service remarks on a change, each in a line. */
export function Warnings({ warnings }: WarningsProps) {
  return warnings.map(({ message }) => (
    <p key={message} className="dim">
      {plainMessage(message)}
    </p>
  ));
}
