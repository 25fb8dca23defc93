import { type Day } from '../kernel/day.js';
import { groupBy } from '../kernel/group-by.js';
import { factOf, factsOf } from '../platform/files/facts.js';
import { inOrderOfDays, loadRepEntities, type RepEntity, storeRepEntities } from './rep-entities.js';

/** The entity of a person from a day on. */
interface RepEntityFact {
  readonly repId: string;
  /** Null: from the beginning. */
  readonly from: Day | null;
  readonly entity: string;
}

/** Only the books read entities, so they decide no commission. */
export const repEntityFacts = factsOf<RepEntityFact>({
  key: ['repId', 'from'],
  terms: ['entity'],
  async load(tx, facts) {
    const known = await loadRepEntities(tx, [...new Set(facts.map(({ repId }) => repId))]);
    return [...known].flatMap(([repId, entities]) =>
      entities.map(({ from = null, entity }) => ({ repId, from, entity })),
    );
  },
  async store(tx, changes, { clock }) {
    const byRep = groupBy(changes, (change) => factOf(change).repId);
    const known = await loadRepEntities(tx, [...byRep.keys()]);
    const changed = [...byRep].map(([repId, ofRep]) => {
      const entities = new Map<Day | null, RepEntity>(known.get(repId)?.map((each) => [each.from ?? null, each]));
      for (const change of ofRep) {
        const { from, entity } = factOf(change);
        if (change.after === null) entities.delete(from);
        else entities.set(from, from === null ? { entity } : { from, entity });
      }
      return { repId, entities: inOrderOfDays([...entities.values()]) };
    });
    await storeRepEntities(tx, changed, clock.now());
    return [];
  },
});
