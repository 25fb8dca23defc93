import { usePersonNames } from '../../api/people-by-id.js';
import { type ImportedOwners } from '../../features/imports/kind.js';
import { valueWords } from '../../features/plans/words.js';
import { formatCount } from '../../shared/format/numbers.js';
import styles from './Import.module.css';

/**
 * Before anything is written: owners who match no person, deals that the file moves to another person, and values that
 * people have corrected.
 */
export function OwnersOfFile({ owners }: { readonly owners: ImportedOwners }) {
  const { unknownOwners, rowsWithUnknownOwner, rowsWithoutOwner, reassigned, reassignedDeals } = owners;
  const { conflicts = 0, conflicting = [] } = owners;
  const findName = usePersonNames(reassignedDeals.flatMap(({ fromRepId, toRepId }) => [fromRepId, toRepId]));
  const nameOf = (repId: string | null) => (repId === null ? 'nobody' : (findName(repId) ?? 'another person'));
  return (
    <>
      {rowsWithUnknownOwner === 0 ? null : (
        <details className={styles.notes} open>
          <summary>{formatCount(rowsWithUnknownOwner, 'row')} with an owner who matches no person</summary>
          <ul>
            {unknownOwners.map(({ owner, rows }) => (
              <li key={owner}>
                {owner}, {formatCount(rows, 'row')}
              </li>
            ))}
          </ul>
          <p className="dim">
            The deals keep the owner. After the import, match the owner with a person on the page Owners.
          </p>
        </details>
      )}
      {rowsWithoutOwner === 0 ? null : (
        <p className={styles.warning}>
          {formatCount(rowsWithoutOwner, 'row')} without an owner, which pay no commission.
        </p>
      )}
      {reassigned === 0 ? null : (
        <details className={styles.notes} open>
          <summary>{formatCount(reassigned, 'deal')} would move to another person</summary>
          <ul>
            {reassignedDeals.map(({ dealId, fromRepId, toRepId }) => (
              <li key={dealId}>
                {dealId}: {nameOf(fromRepId)} → {nameOf(toRepId)}
              </li>
            ))}
          </ul>
          <p className="dim">Persons that were chosen in the app stay.</p>
        </details>
      )}
      {conflicts === 0 ? null : (
        <details className={styles.notes} open>
          <summary>{formatCount(conflicts, 'corrected value')} that the file states otherwise</summary>
          <ul>
            {conflicting.map(({ dealId, name, kept, reported }) => (
              <li key={`${dealId} ${name}`}>
                {dealId}, {name.replace('fields.', '')}: {valueWords(kept)} stays, the file says {valueWords(reported)}
              </li>
            ))}
          </ul>
          <p className="dim">The values of people stay. The page of a deal shows them and ends a correction.</p>
        </details>
      )}
    </>
  );
}
