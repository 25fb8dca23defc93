import { type Decimal } from '../kernel/decimal.js';
import { groupBy } from '../kernel/group-by.js';
import { loadPayableRows } from '../pay/payables/payable-rows.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { type ImpairmentTest, testLots } from './impairment.js';
import { impairmentFacts } from './impairment-facts.js';
import { type Entity } from './keep-books.js';
import { type Month } from './month.js';
import { openingLotFacts } from './opening-lot-facts.js';
import { type LotRow, type RowLot, type WrittenDownOf } from './row-lot.js';

/** A lot with the entity in whose books it is. */
export interface EntityLot {
  readonly entity: Entity;
  readonly lot: RowLot;
}

/** The lots of everyone on a deal are tested together, so those of other people are loaded too. */
export async function loadWrittenDown(
  tx: Transaction,
  { dealIds, until }: { readonly dealIds: readonly string[]; readonly until: Month },
  loadLots: (repIds: readonly string[]) => Promise<readonly EntityLot[]>,
): Promise<WrittenDownOf> {
  if (dealIds.length === 0) return () => new Map();
  const tests = groupBy(
    (await impairmentFacts.list(tx, { dealId: dealIds })).filter(({ month }) => month <= until),
    ({ dealId }) => dealId,
  );
  if (tests.size === 0) return () => new Map();
  const testedDeals = [...tests.keys()];
  const rows = await loadPayableRows(tx, { dealKeys: testedDeals });
  const openings = await openingLotFacts.list(tx, { dealId: testedDeals });
  const lots = await loadLots([...new Set([...rows, ...openings].map(({ repId }) => repId))]);
  const found = new Map<string, ReadonlyMap<Month, Decimal>>();
  const tested = lots.filter(({ lot }) => tests.has(lot.row.dealKey ?? ''));
  for (const together of groupBy(tested, ({ entity, lot }) => `${entity.code}|${lot.row.dealKey}`).values()) {
    const inOrder = together.toSorted((a, b) =>
      keyOf(a.entity.code, a.lot.row) < keyOf(b.entity.code, b.lot.row) ? -1 : 1,
    );
    const [{ entity, lot: first }] = inOrder as [EntityLot];
    const written = testLots(
      inOrder.map(({ lot }) => lot),
      tests.get(first.row.dealKey ?? '') as ImpairmentTest[],
      entity.framework,
    );
    for (const [index, { lot }] of inOrder.entries())
      found.set(keyOf(entity.code, lot.row), written[index] as ReadonlyMap<Month, Decimal>);
  }
  return (entity, row) => found.get(keyOf(entity, row)) ?? new Map();
}

function keyOf(entity: string, { repId, key }: Pick<LotRow, 'repId' | 'key'>): string {
  return `${entity}|${repId}|${key}`;
}
