/** What one run of the reference work takes on the machine for which the budgets are stated. */
const referenceMs = 5.5;
const runs = 7;
const rows = Array.from({ length: 4_000 }, (_, at) => ({
  dealId: `D${at}`,
  amount: at * 1.25,
  closeDate: '2026-01-15',
  fields: { region: 'EMEA', owner: `m${at % 20}`, note: 'x'.repeat(100) },
}));

/**
 * How many times slower than the machine of the budgets this one is at the moment, at least 1: the fastest of several
 * runs of the same work, so that pauses by other processes do not count.
 */
export function slownessOfMachine(): number {
  const times = Array.from({ length: runs }, () => {
    const startedAt = performance.now();
    JSON.parse(JSON.stringify(rows));
    return performance.now() - startedAt;
  });
  return Math.max(1, Math.min(...times) / referenceMs);
}
