import { type TeamStatement } from '../../api/team-queries.js';
import { formatInstant } from '../../shared/format/dates.js';

/** What a person changed that decides their own pay: the operation in words, the deals, the time. */
export function OwnChanges({ changes }: { readonly changes: TeamStatement['ownChanges'] }) {
  return (
    <ul>
      {changes.map(({ operation, dealIds, deals, changedAt }) => (
        <li key={operation}>
          {toWords(operation)}
          {deals === 0 ? '' : `: ${dealIds.slice(0, 3).join(', ')}${deals > 3 ? ` and ${deals - 3} more` : ''}`},{' '}
          {formatInstant(changedAt)}
        </li>
      ))}
    </ul>
  );
}

function toWords(operation: string): string {
  const words = operation.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}
