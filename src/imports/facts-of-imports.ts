import { creditFacts } from '../deals/credit-facts.js';
import { refundFacts } from '../deals/refunds/refund-facts.js';
import { contractFacts } from '../finance/contract-facts.js';
import { estimateFacts } from '../finance/estimate-facts.js';
import { openingLotFacts } from '../finance/opening-lot-facts.js';
import { repEntityFacts } from '../finance/rep-entity-facts.js';
import { writeOffFacts } from '../finance/write-off-facts.js';
import { type KeyScope } from '../kernel/caller.js';
import { Failure } from '../kernel/failure.js';
import { drawFacts } from '../pay/draws/draw-facts.js';
import { invoiceFacts } from '../pay/invoices/invoice-facts.js';
import { withReleases } from '../pay/payables/record-releases.js';
import { absenceFacts } from '../people/absences/absence-facts.js';
import { assignmentFacts } from '../people/assignments/assignment-facts.js';
import { holidayFacts } from '../people/holidays/holiday-facts.js';
import { personFacts } from '../people/reps/person-facts.js';
import { quotaFacts } from '../plans/quotas/quota-facts.js';
import { tableFacts } from '../plans/rate-tables/change-rate-table.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import {
  type ChangeOfRow,
  type Facts,
  factOf,
  isSameFact,
  keyOfFact,
  listImported,
  loadFacts,
} from '../platform/files/facts.js';
import { fxRateFacts } from '../rates/fx-rates/fx-rate-facts.js';
import { type ImportKind } from './import-history.js';

interface ImportedFacts {
  /** Null: deals and their lines have versions of their own. */
  readonly facts: Facts | null;
  /** The scope of the import, which a key needs to take it back; null: no key may do it. */
  readonly scope: KeyScope | null;
}

/** What each kind of import stores. */
export const factsOfImports: Readonly<Record<ImportKind, ImportedFacts>> = {
  deals: { facts: null, scope: 'deals' },
  lines: { facts: null, scope: 'deals' },
  people: { facts: personFacts, scope: null },
  quotas: { facts: quotaFacts, scope: 'plans' },
  assignments: { facts: assignmentFacts, scope: 'plans' },
  absences: { facts: absenceFacts, scope: 'plans' },
  contracts: { facts: contractFacts, scope: null },
  credits: { facts: creditFacts, scope: 'deals' },
  draws: { facts: drawFacts, scope: null },
  estimates: { facts: estimateFacts, scope: null },
  fx_rates: { facts: fxRateFacts, scope: 'plans' },
  holidays: { facts: holidayFacts, scope: 'plans' },
  invoices: { facts: withReleases(invoiceFacts), scope: 'deals' },
  opening_lots: { facts: openingLotFacts, scope: null },
  rate_table_rows: { facts: tableFacts, scope: 'plans' },
  rep_entities: { facts: repEntityFacts, scope: null },
  refunds: { facts: refundFacts, scope: 'deals' },
  write_offs: { facts: writeOffFacts, scope: null },
};

/** The change of a fact that takes a row of an import back, or why there is none. */
export interface Reversal {
  readonly change: ChangeOfRow<object>;
  readonly rejection: Failure | null;
}

/** What would take the import back, the last row of the file first. */
export async function listReversals(tx: Transaction, facts: Facts, importId: string): Promise<Reversal[]> {
  const imported = await listImported(tx, importId);
  const present = await loadFacts(tx, facts, imported.map(factOf));
  return imported
    .map((change): Reversal => {
      const now = present.get(keyOfFact(facts, factOf(change))) ?? null;
      return {
        change: { row: change.row, before: now, after: change.before },
        rejection: isSameFact(facts, now, change.after) ? null : changedSince,
      };
    })
    .reverse();
}

const changedSince = new Failure('changed_since', 'What the row has stored was changed since the import.');
