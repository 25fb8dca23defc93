import { fileColumns } from '../../api/file-columns.js';
import { importOf } from '../../imports/import-of.js';
import { loadRepsOfRows } from '../../people/reps/reps-of-rows.js';
import { filled } from '../../platform/files/cells.js';
import { importQuery, importResults, readRowsInSlices } from '../../platform/files/import-results.js';
import { repEntityFacts } from '../rep-entity-facts.js';
import { loadEntitiesOfRows, requireAccounting } from '../settings-views.js';

export const importRepEntities = importOf(
  {
    id: 'importRepEntities',
    summary:
      'Set to which companies people belong in the books from a CSV file, one day of a person for each row; other days of a person stay',
    path: '/v1/accounting/rep-entities/import',
    query: importQuery,
    response: importResults,
    failures: { accounting_off: 409 },
    example: 'email,entity,from\nben@acme.test,uk,2026-03-01\n',
  },
  {
    facts: repEntityFacts,
    columns: { names: fileColumns.repEntities, required: ['email', 'entity'] },
    async read(tx, rows, { reader }) {
      await requireAccounting(tx);
      const reps = await loadRepsOfRows(tx, rows);
      const findEntity = await loadEntitiesOfRows(tx);
      return readRowsInSlices(rows, (row) => {
        const entity = filled('entity', row.cells.entity);
        findEntity(entity);
        return { fact: { repId: reps.find(row), from: reader.day('from', row.cells.from) ?? null, entity } };
      });
    },
    trigger: 'recalculation',
  },
);
