import { Failure } from '../../kernel/failure.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { type TableRow } from '../../platform/files/csv-table.js';
import { normalEmail } from './rep.js';
import { findRepIdsByEmail } from './rep-views.js';

type RowOfRep = Pick<TableRow<'email'>, 'cells'>;

interface RepsOfRows {
  readonly repIds: readonly string[];
  /** The id of the rep of a row. A row without a rep is rejected. */
  find(row: RowOfRep): string;
}

/** The reps of the rows of a file, by the e-mail address in them. */
export async function loadRepsOfRows(tx: Transaction, rows: readonly RowOfRep[]): Promise<RepsOfRows> {
  const emails = rows.flatMap(({ cells: { email } }) => (email === undefined ? [] : normalEmail(email)));
  const reps = await findRepIdsByEmail(tx, emails);
  return {
    repIds: [...reps.values()],
    find: ({ cells: { email } }) => {
      const repId = email === undefined ? undefined : reps.get(normalEmail(email));
      if (repId === undefined)
        throw new Failure('rep_not_found', `No rep has the e-mail address ${email ?? '(empty)'}.`);
      return repId;
    },
  };
}
