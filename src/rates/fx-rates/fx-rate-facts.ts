import { type StoredRate } from '../../engine/exchange-rates.js';
import { chunk } from '../../kernel/chunk.js';
import { currentDay } from '../../kernel/day.js';
import { factsOf } from '../../platform/files/facts.js';
import { findAffected, loadRatesBefore } from './affected-by-rates.js';
import { removeRates, storeRates } from './fx-rate-store.js';
import { findRates } from './fx-rate-views.js';

const keysPerStatement = 10_000;

export const fxRateFacts = factsOf<StoredRate>({
  key: ['table', 'from', 'to', 'day'],
  terms: ['rate'],
  async load(tx, rates) {
    const stored: StoredRate[] = [];
    for (const part of chunk(rates, keysPerStatement)) stored.push(...(await findRates(tx, part)));
    return stored;
  },
  async store(tx, changes, { clock }) {
    const present = await loadRatesBefore(tx);
    await removeRates(
      tx,
      changes.flatMap(({ before, after }) => (after === null ? (before ?? []) : [])),
    );
    await storeRates(
      tx,
      changes.flatMap(({ after }) => after ?? []),
    );
    const changed = changes.flatMap(({ before, after }) => after ?? before ?? []);
    const { days } = await findAffected(tx, present, changed, currentDay(present.workspace, clock.now()));
    return [...days].flatMap(([repId, ranges]) => ranges.map((range) => ({ repId, days: range })));
  },
});
