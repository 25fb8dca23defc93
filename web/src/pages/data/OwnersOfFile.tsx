import { useQuery } from '@tanstack/react-query';
import { peopleQuery } from '../../api/payroll-queries.js';
import { type ImportedOwners } from '../../features/imports/kind.js';
import { formatCount } from '../../shared/format/numbers.js';
import styles from './Import.module.css';

/** Before anything is written: owners who match no person, and deals that the file moves to another person. */
export function OwnersOfFile({ owners }: { readonly owners: ImportedOwners }) {
  const { unknownOwners, rowsWithUnknownOwner, rowsWithoutOwner, reassigned, reassignedDeals } = owners;
  const names = new Map((useQuery(peopleQuery).data?.reps ?? []).map(({ id, name }) => [id, name]));
  const nameOf = (repId: string | null) => (repId === null ? 'nobody' : (names.get(repId) ?? 'another person'));
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
          <p className="dim">To keep persons that were chosen by hand, do not import the column with the owners.</p>
        </details>
      )}
    </>
  );
}
